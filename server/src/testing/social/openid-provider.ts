import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { decodeJwt, decodeProtectedHeader, type JWTPayload, SignJWT } from 'jose'
import Provider, { type JWK, type KoaContextWithOIDC } from 'oidc-provider'

/** What a provider knows of an account, by the name that signs in there. */
export type Accounts = Record<string, Record<string, unknown>>

/** What the provider's server does in place of an answer. */
export type Answering = (request: IncomingMessage, response: ServerResponse) => void

export interface OpenIdProvider {
  /** Its issuer. */
  issuer: string
  clientSecret: string
  accounts: Accounts
  /** Requests that came, as `GET /path`. */
  requests: string[]
  /** Answers in its place at a path; taken away by `behave`. */
  misbehave(path: string, answer: Answering): void
  /** Changes what it says in id_tokens, which it signs again. `otherKey` signs with one that it does not publish. */
  tamper(change: { claims?: (claims: JWTPayload) => JWTPayload; otherKey?: boolean }): void
  /** Does everything right again. */
  behave(): void
  close(): Promise<void>
}

const makeKey = () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey

const page = (title: string, content: string) =>
  `<!doctype html><html lang="en"><title>${title}</title><meta charset="utf-8"><h1>${title}</h1>${content}`

/** Its own page on which somebody signs in, by a name alone, or refuses. */
const loginPage = (uid: string) =>
  page(
    'Sign in at the provider',
    `<form method="post" action="/interaction/${uid}"><label>Name <input name="login" autofocus></label>
<button name="action" value="login">Log in</button><button name="action" value="cancel">Cancel</button></form>`,
  )

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  return new URLSearchParams(Buffer.concat(pieces).toString())
}

/** Starts a provider of OpenID Connect on this machine: oidc-provider, which is certified, with a client called usher.
 *  It insists on PKCE. `claimsIn`: where it puts the address. */
export async function startOpenIdProvider({
  redirectUris,
  accounts = {},
  claimsIn = 'userinfo',
  host = '127.0.0.1',
}: {
  redirectUris: string[]
  accounts?: Accounts
  claimsIn?: 'userinfo' | 'id_token'
  /** Below which it is reached; `*.localhost` works too. */
  host?: string
}): Promise<OpenIdProvider> {
  const clientSecret = 'the-secret-of-usher-at-the-provider'
  const requests: string[] = []
  const faults = new Map<string, Answering>()
  let tampering: Parameters<OpenIdProvider['tamper']>[0] | undefined
  let handle: Answering = (_request, response) => void response.writeHead(503).end()
  const server = createServer((request, response) => {
    const path = request.url?.split('?', 1)[0] ?? ''
    requests.push(`${request.method} ${path}`)
    const answer = faults.get(path) ?? handle
    answer(request, response)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://${host}:${(server.address() as AddressInfo).port}`

  const key = makeKey()
  const strangersKey = makeKey()
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'usher',
        client_secret: clientSecret,
        redirect_uris: redirectUris,
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    jwks: { keys: [{ ...key.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'one' } as JWK] },
    cookies: { keys: ['a key of a test'] },
    pkce: { required: () => true },
    claims: { openid: ['sub'], email: ['email', 'email_verified', 'xms_edov'], profile: ['name'] },
    conformIdTokenClaims: claimsIn === 'userinfo',
    findAccount: (_ctx, accountId) => ({
      accountId,
      claims: async () => ({ sub: accountId, ...accounts[accountId] }),
    }),
    // Nobody is asked for a consent.
    async loadExistingGrant(ctx: KoaContextWithOIDC) {
      const grant = new ctx.oidc.provider.Grant({
        clientId: ctx.oidc.client?.clientId ?? '',
        accountId: ctx.oidc.session?.accountId ?? '',
      })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
    features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: false } },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      IdToken: 600,
      Interaction: 600,
      Session: 600,
      Grant: 600,
    },
  })

  /** Signs an id_token again, with what was changed. */
  async function resign(token: string): Promise<string> {
    const { claims = (same: JWTPayload) => same, otherKey } = tampering ?? {}
    const { kid } = decodeProtectedHeader(token)
    return new SignJWT(claims(decodeJwt(token)))
      .setProtectedHeader({ alg: 'RS256', kid: kid ?? 'one' })
      .sign(otherKey ? strangersKey : createPrivateKey(key.export({ type: 'pkcs8', format: 'pem' })))
  }
  provider.use(async (ctx, next) => {
    await next()
    const body = ctx.body as { id_token?: string } | undefined
    if (ctx.path === '/token' && tampering && body?.id_token)
      ctx.body = { ...body, id_token: await resign(body.id_token) }
  })
  const serve = provider.callback()

  async function interact(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { uid } = await provider.interactionDetails(request, response)
    if (request.method === 'GET') {
      response.setHeader('content-type', 'text/html; charset=utf-8').end(loginPage(uid))
      return
    }
    const sent = await readForm(request)
    await provider.interactionFinished(
      request,
      response,
      sent.get('action') === 'cancel'
        ? { error: 'access_denied', error_description: 'the person said no' }
        : { login: { accountId: sent.get('login') ?? '' } },
      { mergeWithLastSubmission: false },
    )
  }
  handle = (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return void serve(request, response)
    interact(request, response).catch(error => response.writeHead(500).end(String(error)))
  }

  return {
    issuer,
    clientSecret,
    accounts,
    requests,
    misbehave: (path, answer) => void faults.set(path, answer),
    tamper(change) {
      tampering = change
    },
    behave() {
      faults.clear()
      tampering = undefined
    },
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
