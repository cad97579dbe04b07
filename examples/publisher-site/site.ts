import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { openMemberTokens, type SiteClient } from './member-tokens.ts'
import { articlePage, homePage, missingPage, type Setting, sectionPage, sportPage } from './pages.ts'
import { createReaderSession } from './reader-session.ts'

const files: Record<string, { type: string; body: Buffer }> = Object.fromEntries(
  [
    ['/style.css', 'text/css; charset=utf-8'],
    ['/site.js', 'text/javascript; charset=utf-8'],
    ['/icon.svg', 'image/svg+xml'],
  ].map(([path, type = '']) => [
    path,
    { type, body: readFileSync(new URL(`./public${path}`, import.meta.url)) },
  ]),
)

/** The site, not listening yet. `tenantUrl` is the address of the tenant's domain, whose scripts it loads; with a client of its
 *  own there the site greets members by name. */
export function createSite({
  tenantUrl,
  client,
}: {
  tenantUrl: string
  client?: SiteClient | undefined
}): Server {
  const { origin } = new URL(tenantUrl)
  const answerSession = client && createReaderSession(openMemberTokens(origin, client))
  const headers = {
    'content-security-policy': `default-src 'self'; script-src 'self' ${origin}; connect-src 'self' ${origin}; base-uri 'none'; frame-ancestors 'self'`,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'strict-origin-when-cross-origin',
  }
  return createServer((request, response) => {
    const answer = (status: number, type: string, body: string | Buffer) => {
      response.writeHead(status, {
        ...headers,
        'content-type': type,
        'content-length': Buffer.byteLength(body),
      })
      response.end(request.method === 'HEAD' ? undefined : body)
    }
    const path = request.url?.split('?')[0] ?? '/'
    if (answerSession && path === '/session') return void answerSession(request, response)
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD')
      return answer(405, 'text/plain; charset=utf-8', 'This site is for reading: send GET or HEAD.\n')
    }
    const file = files[path]
    if (file) return answer(200, file.type, file.body)
    const setting: Setting = { tenantOrigin: origin, clientId: client?.id, now: new Date() }
    const page =
      path === '/'
        ? homePage(setting)
        : (sportPage(setting, path) ?? sectionPage(setting, path) ?? articlePage(setting, path))
    answer(page ? 200 : 404, 'text/html; charset=utf-8', page ?? missingPage(setting))
  })
}
