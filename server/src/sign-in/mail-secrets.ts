import { randomInt } from 'node:crypto'
import type { Secrets } from '../foundation/secrets/index.ts'

const LINK = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.([A-Za-z0-9_-]{43})$/
const linkPurpose = (tenantId: string): string => `sign-in link of ${tenantId}`
const codePurpose = (mailId: string): string => `sign-in code of ${mailId}`

/** What stands at the end of a mail's link: its id, and an HMAC without which the id is worth nothing. */
export function makeLinkToken(secrets: Secrets, tenantId: string, mailId: string): string {
  return `${mailId}.${secrets.hmac(linkPurpose(tenantId), mailId).toString('base64url')}`
}

/** The id of the mail whose link this is; undefined when it is none of this tenant's. */
export function readLinkToken(secrets: Secrets, tenantId: string, token: string): string | undefined {
  const [, mailId = '', mac = ''] = LINK.exec(token) ?? []
  return mailId !== '' && secrets.verifyHmac(linkPurpose(tenantId), mailId, Buffer.from(mac, 'base64url'))
    ? mailId
    : undefined
}

/** Six digits, each as likely as any other. */
export const makeCode = (): string => String(randomInt(1_000_000)).padStart(6, '0')

/** Six digits are guessed at once from a hash, so they are kept sealed, for their own mail. */
export const sealCode = (secrets: Secrets, mailId: string, code: string): Buffer =>
  secrets.seal(codePurpose(mailId), Buffer.from(code))

/** Throws when the key that sealed it is gone. */
export const openCode = (secrets: Secrets, mailId: string, sealed: Buffer): string =>
  secrets.open(codePurpose(mailId), sealed).toString()
