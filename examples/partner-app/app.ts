import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createVisits } from '../visits.ts'
import { describeFault, faultPage, homePage, memberPage, missingPage } from './pages.ts'
import type { Settings } from './read-settings.ts'
import { type Flow, isNobody, type SignedIn, type SignIn } from './sign-in.ts'

const style = readFileSync(new URL('./public/style.css', import.meta.url))
const headers = {
  'x-content-type-options': 'nosniff',
  // The address of the callback holds a code. "no-referrer" would take the origin from the sign-out form too.
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
}

/** What is known of a browser. */
interface Visit {
  /** On its way to the publisher and back, and what for: to sign in, to look whether the member is still signed in there,
   *  or to sign the browser out there. */
  flow?: Flow & { to: 'sign in' | 'look' | 'sign out' }
  signedIn?: SignedIn
  /** When the publisher last said that the member is signed in on this browser. */
  seenAtMs?: number
  /** Nothing was shown since: else a page that takes longer to come than an answer holds would be asked for for ever. */
  isBack?: boolean
}

/** The application, not listening yet. */
export function createApp(settings: Settings, signIn: SignIn): Server {
  const { issuer, redirectUri, publisher, lookAgainS } = settings
  const visits = createVisits<Visit>({ cookieName: 'partner', secure: redirectUri.protocol === 'https:' })
  // Browsers hold the policy for forms against redirects too, and signing out leads over the publisher.
  const policy = `default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self' ${issuer.origin}; frame-ancestors 'none'; base-uri 'none'`

  /** Sends the browser to the publisher and at once back, without a page. */
  async function askSilently(visit: Visit, to: 'look' | 'sign out', response: ServerResponse): Promise<void> {
    const { address, flow } = await signIn.begin({ silently: true })
    // In its place: other windows of the browser may know the visit by the same name.
    visit.flow = { ...flow, to }
    redirect(response, address.href)
  }

  /** The browser is back from being asked silently. */
  async function hearBack(
    { visit, to, found }: { visit: Visit; to: 'look' | 'sign out'; found: SignedIn | undefined },
    { cookie, response }: { cookie: string | undefined; response: ServerResponse },
  ): Promise<void> {
    const { signedIn } = visit
    const isSame = found !== undefined && found.claims.sub === signedIn?.claims.sub
    // The token rides the browser's session; what was to be known is known.
    if (found) await (to === 'sign out' ? signIn.endSession(found.token) : signIn.revoke(found.token))
    if (to === 'look' && isSame) {
      Object.assign(visit, { seenAtMs: Date.now(), isBack: true })
      return redirect(response, '/')
    }
    response.setHeader('set-cookie', visits.replace(cookie, {}))
    if (signedIn) await signIn.revoke(signedIn.token)
    redirect(response, to === 'look' ? '/?elsewhere' : '/?signed-out')
  }

  /** The parts that answer, by method and path. */
  const routes: Record<string, (request: IncomingMessage, response: ServerResponse) => Promise<void>> = {
    async 'GET /'({ headers: { cookie } }, response) {
      const visit = visits.find(cookie)
      if (!visit?.signedIn) return sendPage(response, 200, homePage({ publisher, note: noteIn(response) }))
      const { signedIn, seenAtMs = 0, isBack } = visit
      visit.isBack = false
      // Our token is a session of its own: only the browser knows whether the member has signed out at the publisher's.
      if (!isBack && Date.now() - seenAtMs > lookAgainS * 1_000) return askSilently(visit, 'look', response)
      const member = await signIn.findMember(signedIn)
      if (member) return sendPage(response, 200, memberPage({ publisher, signedIn, member }))
      // The member ended our session at the publisher's: so it is over here too.
      response.setHeader('set-cookie', visits.replace(cookie, {}))
      sendPage(response, 200, homePage({ publisher, note: 'ended' }))
    },

    async 'GET /sign-in'({ headers: { cookie } }, response) {
      const { address, flow } = await signIn.begin()
      // Who is signed in stays it until somebody else is.
      response.setHeader(
        'set-cookie',
        visits.replace(cookie, { ...visits.find(cookie), flow: { ...flow, to: 'sign in' } }),
      )
      redirect(response, address.href)
    },

    async [`GET ${redirectUri.pathname}`](request, response) {
      const { cookie } = request.headers
      const visit = visits.find(cookie)
      const flow = visit?.flow
      if (!flow) return sendPage(response, 400, faultPage({ publisher, fault: { kind: 'not begun' } }))
      const address = new URL(redirectUri)
      address.search = new URL(request.url ?? '/', redirectUri).search
      const { to } = flow
      const finished = signIn.finish(address, flow)
      if (to === 'sign in') {
        const signedIn = await finished
        response.setHeader(
          'set-cookie',
          visits.replace(cookie, { signedIn, seenAtMs: Date.now(), isBack: true }),
        )
        return redirect(response, '/')
      }
      const found = await finished.catch(error => {
        if (isNobody(error)) return undefined
        throw error
      })
      delete visit.flow
      await hearBack({ visit, to, found }, { cookie, response })
    },

    async 'POST /sign-out'(request, response) {
      // Not from a page of somebody else's.
      if (request.headers.origin !== undefined && !isOwn(request))
        return sendPage(response, 403, faultPage({ publisher, fault: { kind: 'foreign' } }))
      const { cookie } = request.headers
      const visit = visits.find(cookie)
      const isEverywhere = request.url === '/sign-out?everywhere'
      const wayOut = isEverywhere && visit?.signedIn && (await signIn.findWayOut(visit.signedIn))
      if (isEverywhere && visit && !wayOut) return askSilently(visit, 'sign out', response)
      response.setHeader('set-cookie', visits.replace(cookie, {}))
      if (visit?.signedIn) await signIn.revoke(visit.signedIn.token)
      redirect(response, wayOut ? wayOut.href : '/?signed-out')
    },

    async 'GET /style.css'(_request, response) {
      send(response, 200, 'text/css; charset=utf-8', style)
    },
  }

  return createServer((request, response) => {
    response.setHeader('content-security-policy', policy)
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

function noteIn({ req }: ServerResponse): 'signed out' | 'elsewhere' | undefined {
  if (req.url === '/?elsewhere') return 'elsewhere'
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
