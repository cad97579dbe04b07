import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { callback, hostOf, secretOf } from './oauth-platform.ts'
import type { WholePlatform } from './whole-platform.ts'

/** What came to the partner, and of which member. */
export interface Told {
  sub: string
  token: string
  type: string | undefined
}

/** A partner's server that is told of sessions that ended (OpenID Connect Back-Channel Logout 2.5). */
export interface LogoutPartner {
  /** Where it is told. */
  address: string
  told: Told[]
  /** How it answers, first to last. */
  answers: number[]
  /** How it answers when it has said all those. */
  answersElse: number
  close(): void
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  return new URLSearchParams(Buffer.concat(pieces).toString())
}

export const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString() || '{}')

/** Starts it on this machine. */
export async function startLogoutPartner(): Promise<LogoutPartner> {
  const server = createServer(async (request, response) => {
    const token = (await readForm(request)).get('logout_token') ?? ''
    partner.told.push({ sub: claimsOf(token).sub, token, type: request.headers['content-type'] })
    const status = partner.answers.shift() ?? partner.answersElse
    response.writeHead(status, { location: '/elsewhere' }).end()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const partner: LogoutPartner = {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/out?of=acme`,
    told: [],
    answers: [],
    answersElse: 200,
    close: () => void server.close(),
  }
  return partner
}

/** Declares acme's partner anew, with more of its settings. */
export const declarePartner = (platform: Pick<WholePlatform, 'apply'>, client: object): Promise<void> =>
  platform.apply(
    JSON.stringify({
      tenants: [
        {
          slug: 'acme',
          name: 'Acme Daily',
          domain: hostOf(),
          clients: [
            {
              client_id: 'partner',
              name: 'Saltern Pictures',
              client_secret: secretOf('partner'),
              redirect_uris: [callback],
              ...client,
            },
          ],
        },
      ],
    }),
  )
