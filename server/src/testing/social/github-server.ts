import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface GithubServer {
  /** `{host}/login/oauth` */
  issuer: string
  client: { id: string; secret: string }
  /** What its endpoints say of the one who signs in. */
  user: unknown
  emails: unknown
  close(): Promise<void>
}

async function readBody(request: IncomingMessage): Promise<URLSearchParams> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  return new URLSearchParams(Buffer.concat(pieces).toString())
}

/** A server that speaks what GitHub documents of "Authorizing OAuth apps", "Get the authenticated user" and "List email
 *  addresses for the authenticated user", as an Enterprise Server has it: it signs in at once whoever comes. */
export async function startGithubServer(redirectUri: string): Promise<GithubServer> {
  const client = { id: 'Iv1.0123456789abcdef', secret: '0123456789abcdef0123456789abcdef01234567' }
  const codes = new Map<string, { challenge: string | null; redirectUri: string | null }>()
  const tokens = new Set<string>()
  const given = { user: {} as unknown, emails: [] as unknown }

  function authorize(query: URLSearchParams): string {
    const back = new URL(query.get('redirect_uri') ?? redirectUri)
    const code = randomBytes(10).toString('hex')
    codes.set(code, { challenge: query.get('code_challenge'), redirectUri: query.get('redirect_uri') })
    back.searchParams.set('code', code)
    back.searchParams.set('state', query.get('state') ?? '')
    return back.href
  }

  /** Errors have status 200, as GitHub's have. */
  async function exchange(request: IncomingMessage): Promise<object> {
    const sent = await readBody(request)
    const fail = (error: string) => ({ error, error_description: 'as documented' })
    if (sent.get('client_id') !== client.id || sent.get('client_secret') !== client.secret)
      return fail('incorrect_client_credentials')
    const asked = codes.get(sent.get('code') ?? '')
    if (!asked) return fail('bad_verification_code')
    if (asked.redirectUri !== sent.get('redirect_uri')) return fail('redirect_uri_mismatch')
    const hash = createHash('sha256')
      .update(sent.get('code_verifier') ?? '')
      .digest('base64url')
    if (asked.challenge !== hash) return fail('bad_verification_code')
    codes.delete(sent.get('code') ?? '')
    const token = `gho_${randomBytes(18).toString('hex')}`
    tokens.add(token)
    return { access_token: token, token_type: 'bearer', scope: 'read:user,user:email' }
  }

  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://github')
    const send = (status: number, body: unknown) =>
      response
        .writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
        .end(JSON.stringify(body))
    if (pathname === '/login/oauth/authorize') {
      response.writeHead(302, { location: authorize(searchParams) }).end()
    } else if (pathname === '/login/oauth/access_token') {
      // Without this GitHub answers in the form of a query.
      if (request.headers.accept !== 'application/json') send(406, {})
      else void exchange(request).then(body => send(200, body))
    } else if (pathname.startsWith('/api/v3/')) {
      const token = /^bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? ''
      if (!tokens.has(token)) send(401, { message: 'Bad credentials' })
      // GitHub refuses who does not say what they are.
      else if (!request.headers['user-agent']) send(403, { message: 'Request forbidden' })
      else if (pathname === '/api/v3/user') send(200, given.user)
      else if (pathname === '/api/v3/user/emails') send(200, given.emails)
      else send(404, { message: 'Not Found' })
    } else send(404, {})
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return Object.assign(given, {
    issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}/login/oauth`,
    client,
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  })
}
