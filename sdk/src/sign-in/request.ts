/** In place of a status: the answer did not come in time, or at all. */
export const TIMEOUT = 1
const NOTHING = 0

/** Sends a request, and reads the JSON of a 200, believed to be of that shape. Never throws: whatever goes wrong is a status. */
export async function request<Body>(
  url: string,
  timeoutMs: number,
  init: RequestInit,
): Promise<{ status: number; body?: Body; retryAfter?: string | null }> {
  try {
    const response = await fetch(url, {
      ...init,
      // Old browsers have no such clock: there the network's own time holds.
      signal: AbortSignal.timeout?.(timeoutMs) as AbortSignal,
    })
    const { status, headers } = response
    return { status, body: status === 200 && (await response.json()), retryAfter: headers.get('retry-after') }
  } catch (error) {
    return { status: (error as Error).name === 'TimeoutError' ? TIMEOUT : NOTHING }
  }
}
