import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findPort, type Program, startProgram } from './start-program.ts'
import { untilServed } from './until-served.ts'

export interface QueueAnswer {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: string
}

export interface RunningPlatform {
  port: number
  dataDir: string
  /** The demo tenant's domain, as a page's script is loaded from. */
  tenantUrl: string
  consumerKey: string
  program(): Program
  /** What curl would get: `path` at the platform host, with the demo's consumer key. */
  call(method: string, path: string, headers?: Record<string, string>): Promise<QueueAnswer>
  /** Starts it again after `program().end()`: same port, same data. */
  startAgain(): Promise<void>
  /** Ends it and removes its data. */
  close(): Promise<void>
}

/** The platform as `npm start` starts it, with a port and a data folder of its own. */
export async function startPlatform(env: Record<string, string> = {}): Promise<RunningPlatform> {
  const port = await findPort()
  const dataDir = await mkdtemp(join(tmpdir(), 'usher-e2e-'))
  const start = async () => {
    const started = startProgram('server/src/main.ts', {
      USHER_PORT: `${port}`,
      USHER_DATA_DIR: dataDir,
      ...env,
    })
    try {
      await started.line(/^Usher answers at /)
    } catch (error) {
      await started.end()
      throw error
    }
    return started
  }
  let program = await start()
  const demo = JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8'))
  const { consumerKey, domain } = demo.tenant
  await untilServed(port, domain).catch(async error => {
    await program.end()
    throw error
  })

  return {
    port,
    dataDir,
    tenantUrl: `http://${domain}:${port}`,
    consumerKey,
    program: () => program,
    call(method, path, headers = {}) {
      return new Promise((resolve, reject) => {
        const sent = request(
          {
            host: '127.0.0.1',
            port,
            method,
            path,
            agent: false,
            headers: {
              host: `platform.localhost:${port}`,
              authorization: `Bearer ${consumerKey}`,
              ...headers,
            },
          },
          response => {
            const chunks: Buffer[] = []
            response.on('data', chunk => chunks.push(chunk))
            response.on('error', reject)
            response.on('end', () =>
              resolve({
                status: response.statusCode ?? 0,
                headers: response.headers,
                body: Buffer.concat(chunks).toString(),
              }),
            )
          },
        )
        sent.on('error', reject)
        sent.end()
      })
    },
    async startAgain() {
      program = await start()
    },
    async close() {
      await program.end()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
