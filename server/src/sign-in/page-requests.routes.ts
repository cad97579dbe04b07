import type { FastifyReply, FastifyRequest } from 'fastify'
import type { BrowserFacts, PageAnswer } from '../oauth/index.ts'
import { findOwnFlow, isLive } from './find-flow.ts'
import type { Flow } from './flow.ts'
import { inLanguageOf } from './flow-language.ts'
import { showExpired } from './problems.ts'
import type { SignInParts } from './sign-in-parts.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A form that another site may send. */
    fromElsewhere?: boolean
  }
}

/** A page or a form: for people on the tenant's own domain, and not a part of the API that programs call. */
export const page = { config: { site: 'tenant', page: true }, schema: { hide: true } } as const
/** A form holds an address or a code. */
export const form = { ...page, bodyLimit: 4_096 } as const

export const browserOf = (request: FastifyRequest): BrowserFacts => ({
  tenant: request.tenant,
  cookieHeader: request.headers.cookie,
  acceptLanguage: request.headers['accept-language'],
  userAgent: request.headers['user-agent'] ?? '',
  address: request.clientAddress,
})

export const send = (reply: FastifyReply, { status, headers, body }: PageAnswer): FastifyReply =>
  reply
    .code(status)
    .headers({ ...headers })
    // A redirect has no body, and so no media type either.
    .send(body === '' ? undefined : body)

export const formOf = (request: FastifyRequest): URLSearchParams =>
  request.body instanceof URLSearchParams ? request.body : new URLSearchParams()

export const queryOf = ({ url }: FastifyRequest): URLSearchParams =>
  new URLSearchParams(url.split('?').slice(1).join('?'))

export type InFlow = { Params: { flow: string } }

/** Answers for a flow that was begun in this browser and is not over, in the language that its client wishes. */
export async function inFlow(
  parts: SignInParts,
  request: FastifyRequest<InFlow>,
  reply: FastifyReply,
  answer: (browser: BrowserFacts, flow: Flow) => Promise<PageAnswer>,
): Promise<FastifyReply> {
  const browser = browserOf(request)
  const flow = await findOwnFlow(parts, browser, request.params.flow)
  const spoken = inLanguageOf(flow, browser)
  if (!flow || !isLive(flow, parts.nowMs())) return send(reply, showExpired(spoken, flow))
  return send(reply, await answer(spoken, flow))
}
