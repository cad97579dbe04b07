import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { describeFault, faultPage, homePage, memberPage, missingPage } from './pages.ts'
import type { Settings } from './read-settings.ts'
import type { SignIn } from './sign-in.ts'
import { createVisits } from './visits.ts'

const style = readFileSync(new URL('./public/style.css', import.meta.url))
const headers = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  'x-content-type-options': 'nosniff',
  // The address of the callback holds a code. "no-referrer" would take the origin from the sign-out form too.
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
}

/** The application, not listening yet. */
export function createApp({ redirectUri, publisher }: Settings, signIn: SignIn): Server {
  const visits = createVisits({ secure: redirectUri.protocol === 'https:' })

  /** The parts that answer, by method and path. */
  const routes: Record<string, (request: IncomingMessage, response: ServerResponse) => Promise<void>> = {
    async 'GET /'({ headers: { cookie } }, response) {
      const signedIn = visits.find(cookie)?.signedIn
      if (!signedIn) return sendPage(response, 200, homePage({ publisher, note: noteIn(response) }))
      const member = await signIn.findMember(signedIn.token)
      if (member) return sendPage(response, 200, memberPage({ publisher, signedIn, member }))
      // The member ended our session at the publisher's: so it is over here too.
      response.setHeader('set-cookie', visits.replace(cookie, {}))
      sendPage(response, 200, homePage({ publisher, note: 'ended' }))
    },

    async 'GET /sign-in'({ headers: { cookie } }, response) {
      const { address, flow } = await signIn.begin()
      // Who is signed in stays it until somebody else is.
      const signedIn = visits.find(cookie)?.signedIn
      response.setHeader('set-cookie', visits.replace(cookie, { flow, ...(signedIn && { signedIn }) }))
      redirect(response, address.href)
    },

    async [`GET ${redirectUri.pathname}`](request, response) {
      const { cookie } = request.headers
      const flow = visits.find(cookie)?.flow
      if (!flow) return sendPage(response, 400, faultPage({ publisher, fault: { kind: 'not begun' } }))
      const address = new URL(redirectUri)
      address.search = new URL(request.url ?? '/', redirectUri).search
      const signedIn = await signIn.finish(address, flow)
      response.setHeader('set-cookie', visits.replace(cookie, { signedIn }))
      redirect(response, '/')
    },

    async 'POST /sign-out'(request, response) {
      // Not from a page of somebody else's.
      if (request.headers.origin !== undefined && !isOwn(request))
        return sendPage(response, 403, faultPage({ publisher, fault: { kind: 'foreign' } }))
      const { cookie } = request.headers
      const signedIn = visits.find(cookie)?.signedIn
      response.setHeader('set-cookie', visits.replace(cookie, {}))
      if (signedIn) await signIn.revoke(signedIn.token)
      redirect(response, '/?signed-out')
    },

    async 'GET /style.css'(_request, response) {
      send(response, 200, 'text/css; charset=utf-8', style)
    },
  }

  return createServer((request, response) => {
    const path = request.url?.split('?')[0] ?? '/'
    const method = request.method === 'HEAD' ? 'GET' : request.method
    const route = routes[`${method} ${path}`]
    if (!route) return sendPage(response, 404, missingPage({ publisher }))
    route(request, response).catch(error => {
      const fault = describeFault(error)
      if (fault.kind === 'trouble') console.error(error)
      sendPage(response, fault.kind === 'trouble' ? 502 : 400, faultPage({ publisher, fault }))
    })
  })
}

/** Whether a form was sent by a page of ours. */
function isOwn({ headers }: IncomingMessage): boolean {
  return URL.parse(headers.origin ?? '')?.host === headers.host
}

function noteIn({ req }: ServerResponse): 'signed out' | undefined {
  return req.url === '/?signed-out' ? 'signed out' : undefined
}

function send(response: ServerResponse, status: number, type: string, body: string | Buffer): void {
  response.writeHead(status, { ...headers, 'content-type': type, 'content-length': Buffer.byteLength(body) })
  response.end(response.req.method === 'HEAD' ? undefined : body)
}

const sendPage = (response: ServerResponse, status: number, page: string): void =>
  send(response, status, 'text/html; charset=utf-8', page)

/** 303, so that what was posted is not posted again. */
function redirect(response: ServerResponse, location: string): void {
  response.writeHead(303, { ...headers, location }).end()
}
