import type { BrowserFacts } from '../oauth/index.ts'
import { browserHash } from './browser-cookie.ts'
import type { Flow } from './flow.ts'
import { findFlow } from './flows.store.ts'
import type { SignInParts } from './sign-in-parts.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Whether a flow was begun in this browser. */
export function isOfBrowser(flow: Flow, { publicUrl }: SignInParts, { cookieHeader }: BrowserFacts): boolean {
  return browserHash(cookieHeader, publicUrl.protocol === 'https:')?.equals(flow.browserHash) ?? false
}

/** Whether a flow can still sign somebody in. */
export const isLive = (flow: Flow, nowMs: number): boolean =>
  flow.finishedAt === null && flow.expiresAt.getTime() > nowMs

/** A flow of this browser, over or not; undefined when it has none of this id, so that an address of a flow is
 *  worth nothing elsewhere. */
export async function findOwnFlow(
  parts: SignInParts,
  browser: BrowserFacts,
  flowId: string,
): Promise<Flow | undefined> {
  if (!UUID.test(flowId)) return undefined
  const flow = await findFlow(parts.db, browser.tenant.id, flowId)
  return flow && isOfBrowser(flow, parts, browser) ? flow : undefined
}
