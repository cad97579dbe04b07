import type { IncomingHttpHeaders } from 'node:http'

/** Whether a POST comes from a page of this origin, as far as the browser tells. One without Sec-Fetch-Site says its
 *  Origin, which is "null" for our pages, as they send no referrer: such a form counts by what it carries besides, the
 *  cookie of its flow, or its token. */
export function isFromOwnPage(
  headers: Pick<IncomingHttpHeaders, 'origin' | 'sec-fetch-site'>,
  ownOrigin: string,
): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  return headers.origin === undefined || headers.origin === 'null' || headers.origin === ownOrigin
}
