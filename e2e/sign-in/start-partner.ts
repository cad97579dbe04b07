import { createHash, randomBytes } from 'node:crypto'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Sent {
  body?: URLSearchParams
  token?: string
}

/** What a server of the partner's gets from an address below `.localhost`, which only browsers resolve. */
function call(address: string, { body, token }: Sent): Promise<Record<string, unknown>> {
  const { host, port, pathname } = new URL(address)
  const headers = {
    host,
    ...(body && { 'content-type': 'application/x-www-form-urlencoded' }),
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  }
  const answer = Promise.withResolvers<Record<string, unknown>>()
  const method = body ? 'POST' : 'GET'
  const sent = request(
    { host: '127.0.0.1', port, path: pathname, method, headers, agent: false },
    response => {
      const pieces: Buffer[] = []
      response.on('data', piece => pieces.push(piece))
      response.on('end', () => answer.resolve(JSON.parse(Buffer.concat(pieces).toString())))
    },
  )
  sent.on('error', answer.reject)
  sent.end(body?.toString())
  return answer.promise
}

export interface Partner {
  origin: string
  redirectUri: string
  close(): Promise<void>
}

/** A partner's application: `/` sends the browser to sign in, `/callback` exchanges the code and says on its page whose
 *  token it got. `tenantOf` answers the tenant's origin. */
export async function startPartner(
  client: { id: string; secret: string },
  tenantOf: () => string,
): Promise<Partner> {
  const verifiers = new Map<string, string>()

  function begin(query: URLSearchParams): string {
    const state = randomBytes(16).toString('base64url')
    const verifier = randomBytes(32).toString('base64url')
    verifiers.set(state, verifier)
    return `${tenantOf()}/oauth/authorize?${new URLSearchParams({
      client_id: client.id,
      redirect_uri: redirectUri,
      response_type: 'code',
      state,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...Object.fromEntries(query),
    })}`
  }

  async function finish(query: URLSearchParams): Promise<string> {
    const state = query.get('state') ?? ''
    const verifier = verifiers.get(state)
    if (verifier === undefined) return 'A state that is not ours.'
    const { access_token: token, error } = await call(`${tenantOf()}/oauth/token`, {
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code: query.get('code') ?? '',
        redirect_uri: redirectUri,
        client_id: client.id,
        client_secret: client.secret,
        code_verifier: verifier,
      }),
    })
    if (typeof token !== 'string') return `No token: ${error}`
    const { data } = await call(`${tenantOf()}/api/sdk/member`, { token })
    return `Welcome ${(data as { email: string }).email}`
  }

  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', origin)
    if (pathname === '/callback')
      finish(searchParams).then(
        words => response.setHeader('content-type', 'text/plain').end(words),
        error => response.writeHead(500).end(String(error)),
      )
    else if (pathname === '/') response.writeHead(302, { location: begin(searchParams) }).end()
    else response.writeHead(404).end()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const redirectUri = `${origin}/callback`
  return {
    origin,
    redirectUri,
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
