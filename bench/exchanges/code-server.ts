import { randomBytes } from 'node:crypto'

/** A server that exchanges authorization codes for access tokens, with codes that were made ahead. */
export interface CodeServer {
  name: string
  port: number
  /** The host name that requests carry. */
  host: string
  path: string
  /** Puts codes into its store, past its pages, and gives them. */
  makeCodes(count: number): Promise<readonly string[]>
  stop(): Promise<void>
}

/** The same for all of them. */
export const client = {
  id: 'bench',
  secret: 'the-secret-of-the-client-of-the-bench-0123456789',
  redirectUri: 'https://partner.bench.example/callback',
  origin: 'http://news.bench.localhost',
}
/** Codes are made for so many members, in turn. */
export const memberCount = 1_000
/** One verifier serves all codes: what it costs to check one is the same. */
const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
/** Its S256 (RFC 7636, appendix B). */
export const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

/** Codes of 64 characters. */
export const randomCodes = (count: number): string[] =>
  Array.from({ length: count }, () => randomBytes(48).toString('base64url'))

/** The requests that exchange codes, as a client's server sends them. */
export function exchangeRequests({ host, port, path }: CodeServer, codes: readonly string[]): string[] {
  return codes.map(code => {
    const body = new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      redirect_uri: client.redirectUri,
      client_id: client.id,
      client_secret: client.secret,
      code_verifier: verifier,
    }).toString()
    return [
      `POST ${path} HTTP/1.1`,
      `Host: ${host}:${port}`,
      'Connection: keep-alive',
      'Accept: application/json',
      'User-Agent: openid-client/v6.8.9',
      'Content-Type: application/x-www-form-urlencoded;charset=UTF-8',
      `Content-Length: ${body.length}`,
      '',
      body,
    ].join('\r\n')
  })
}
