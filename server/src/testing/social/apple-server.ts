import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { jwtVerify, SignJWT } from 'jose'

export interface AppleServer {
  issuer: string
  /** What the tenant is given: the client is called `example.acme.members`. */
  terms: { client_id: string; team_id: string; key_id: string; private_key: string }
  /** What its id_token says of the one who signs in. */
  claims: Record<string, unknown>
  /** Client secrets that came, decoded. */
  secrets: Record<string, unknown>[]
  close(): Promise<void>
}

async function readBody(request: IncomingMessage): Promise<URLSearchParams> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  return new URLSearchParams(Buffer.concat(pieces).toString())
}

const escapeText = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')

/** Verifies a client secret as Apple says: ES256 by the key of the team, for the client, at most six months. */
async function verifySecret(
  secret: string,
  publicKey: KeyObject,
  { issuer, terms }: Pick<AppleServer, 'issuer' | 'terms'>,
): Promise<Record<string, unknown>> {
  const { payload, protectedHeader } = await jwtVerify(secret, publicKey, {
    algorithms: ['ES256'],
    issuer: terms.team_id,
    subject: terms.client_id,
    audience: issuer,
    requiredClaims: ['iat', 'exp'],
  })
  if (protectedHeader.kid !== terms.key_id) throw new Error('Another key.')
  if ((payload.exp ?? 0) - (payload.iat ?? 0) > 15_777_000) throw new Error('More than six months.')
  return payload
}

/** A server that speaks what Apple documents of "Sign in with Apple": it answers by a form that is posted from its own
 *  page, wants a client secret that is a JWT, and writes booleans as texts. */
export async function startAppleServer({ host = '127.0.0.1' } = {}): Promise<AppleServer> {
  const team = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const signing = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const terms = {
    client_id: 'example.acme.members',
    team_id: 'TEAM012345',
    key_id: 'KEY0123456',
    private_key: team.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
  const given = { claims: {} as Record<string, unknown>, secrets: [] as Record<string, unknown>[] }
  const codes = new Map<string, { nonce: string | null; challenge: string | null; redirectUri: string }>()
  let issuer = ''

  /** Its page: a form with the answer, which sends itself. */
  function authorize(query: URLSearchParams): string {
    if (query.get('response_mode') !== 'form_post') return 'invalid_request: response_mode must be form_post'
    const redirectUri = query.get('redirect_uri') ?? ''
    const code = `c${randomBytes(16).toString('hex')}.0.abcd`
    codes.set(code, { nonce: query.get('nonce'), challenge: query.get('code_challenge'), redirectUri })
    const fields = { state: query.get('state') ?? '', code, user: '{"name":{"firstName":"Ada"}}' }
    const inputs = Object.entries(fields).map(
      ([name, value]) => `<input type="hidden" name="${name}" value="${escapeText(value)}">`,
    )
    return `<!doctype html><title>Apple</title><h1>Apple</h1><form method="post" action="${escapeText(redirectUri)}">
${inputs.join('')}<button>Continue at Apple</button></form>`
  }

  async function exchange(request: IncomingMessage): Promise<{ status: number; body: object }> {
    const sent = await readBody(request)
    try {
      if (sent.get('client_id') !== terms.client_id) throw new Error('Another client.')
      const key = createPublicKey(team.privateKey)
      given.secrets.push(await verifySecret(sent.get('client_secret') ?? '', key, { issuer, terms }))
    } catch {
      return { status: 400, body: { error: 'invalid_client' } }
    }
    const asked = codes.get(sent.get('code') ?? '')
    codes.delete(sent.get('code') ?? '')
    const hash = createHash('sha256')
      .update(sent.get('code_verifier') ?? '')
      .digest('base64url')
    if (!asked || asked.redirectUri !== sent.get('redirect_uri') || asked.challenge !== hash)
      return { status: 400, body: { error: 'invalid_grant' } }
    const token = await new SignJWT({ nonce: asked.nonce, nonce_supported: true, ...given.claims })
      .setProtectedHeader({ alg: 'RS256', kid: 'apple' })
      .setIssuer(issuer)
      .setAudience(terms.client_id)
      .setIssuedAt()
      .setExpirationTime('1 day')
      .sign(signing.privateKey)
    const body = {
      access_token: 'a',
      token_type: 'Bearer',
      expires_in: 3_600,
      refresh_token: 'r',
      id_token: token,
    }
    return { status: 200, body }
  }

  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', issuer)
    const send = (status: number, body: object) =>
      response
        .writeHead(status, { 'content-type': 'application/json;charset=UTF-8' })
        .end(JSON.stringify(body))
    if (pathname === '/auth/authorize')
      response.setHeader('content-type', 'text/html;charset=utf-8').end(authorize(searchParams))
    else if (pathname === '/auth/token') void exchange(request).then(({ status, body }) => send(status, body))
    else if (pathname === '/auth/keys')
      send(200, {
        keys: [{ ...signing.publicKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'apple' }],
      })
    else if (pathname === '/.well-known/openid-configuration')
      send(200, {
        issuer,
        authorization_endpoint: `${issuer}/auth/authorize`,
        token_endpoint: `${issuer}/auth/token`,
        jwks_uri: `${issuer}/auth/keys`,
        response_types_supported: ['code'],
        response_modes_supported: ['query', 'fragment', 'form_post'],
        subject_types_supported: ['pairwise'],
        id_token_signing_alg_values_supported: ['RS256'],
        scopes_supported: ['openid', 'email', 'name'],
        token_endpoint_auth_methods_supported: ['client_secret_post'],
      })
    else send(404, {})
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  issuer = `http://${host}:${(server.address() as AddressInfo).port}`
  return Object.assign(given, {
    issuer,
    terms,
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  })
}
