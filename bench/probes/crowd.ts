import { client } from '../exchanges/code-server.ts'
import type { Platform } from '../platform/start-platform.ts'

/** Browsers, far more than can come to a limit: each has an address of its own, which the platform believes its proxy. */
const browsers = 20_000

const agents = ['Chrome/142.0.0.0 Safari/537.36', 'Safari/605.1.15', 'Firefox/145.0']

/** The probe of each browser, as it comes through a proxy; of one that is signed in, with its session's token. */
export function probeRequests(
  { port, tenant }: Pick<Platform, 'port' | 'tenant'>,
  tokens: readonly string[] = [],
): string[] {
  return Array.from({ length: tokens.length || browsers }, (_, at) =>
    [
      `GET /oauth/session?client_id=${client.id} HTTP/1.1`,
      `Host: ${tenant.domain}:${port}`,
      'Connection: keep-alive',
      `X-Forwarded-For: 10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`,
      `User-Agent: Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${agents[at % agents.length]}`,
      'Accept: */*',
      `Origin: ${client.origin}`,
      'Sec-Fetch-Site: same-site',
      'Sec-Fetch-Mode: cors',
      'Sec-Fetch-Dest: empty',
      'Accept-Encoding: gzip, deflate, br, zstd',
      'Accept-Language: en-GB,en;q=0.9',
      ...(tokens[at] === undefined ? [] : [`Cookie: _SERVICET=${tokens[at]}`]),
      '',
      '',
    ].join('\r\n'),
  )
}
