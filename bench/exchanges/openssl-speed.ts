import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** RSA-2048 signatures a second on one core, as `openssl speed` has them; undefined where there is no openssl. */
export async function opensslSignaturesPerS(seconds: number): Promise<number | undefined> {
  try {
    const { stdout } = await promisify(execFile)('openssl', ['speed', '-seconds', `${seconds}`, 'rsa2048'])
    // Seconds to sign and to verify, then how many of each go into a second.
    const [, signatures] = /^rsa +2048 bits +[\d.]+s +[\d.]+s +([\d.]+)/m.exec(stdout) ?? []
    return signatures === undefined ? undefined : Number(signatures)
  } catch {
    return undefined
  }
}
