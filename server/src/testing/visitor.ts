import type { FastifyInstance, LightMyRequestResponse } from 'fastify'

export type Form = Record<string, string>

/** A browser as far as pages and forms need one: it keeps cookies and says where forms come from. */
export interface Visitor {
  get(path: string, headers?: Record<string, string>): Promise<LightMyRequestResponse>
  post(path: string, form?: Form, headers?: Record<string, string>): Promise<LightMyRequestResponse>
  /** Cookies by name and Domain. */
  cookies: Map<string, string>
}

interface VisitorOptions {
  host: string
  headers?: Record<string, string>
}

/** A visitor without cookies, who comes to a host of an app. */
export function openVisitor(app: FastifyInstance, { host, headers: always = {} }: VisitorOptions): Visitor {
  const cookies = new Map<string, string>()

  function keep(answer: LightMyRequestResponse): void {
    for (const line of [answer.headers['set-cookie'] ?? []].flat()) {
      const [pair = '', ...attributes] = line.split('; ')
      const [name = ''] = pair.split('=', 1)
      const domain = attributes.find(attribute => attribute.startsWith('Domain=')) ?? ''
      if (attributes.includes('Max-Age=0')) cookies.delete(`${name} ${domain}`)
      else cookies.set(`${name} ${domain}`, pair)
    }
  }

  async function send(
    method: 'GET' | 'POST',
    url: string,
    headers: Record<string, string>,
    payload?: string,
  ): Promise<LightMyRequestResponse> {
    const cookie = [...cookies.values()].join('; ')
    const answer = await app.inject({
      method,
      url,
      ...(payload !== undefined && { payload }),
      headers: { host, ...always, ...(cookie !== '' && { cookie }), ...headers },
    })
    keep(answer)
    return answer
  }

  return {
    cookies,
    get: (path, headers = {}) => send('GET', path, headers),
    post: (path, form = {}, headers = {}) =>
      send(
        'POST',
        path,
        // As browsers do for a form of a page that sends no referrer.
        {
          'content-type': 'application/x-www-form-urlencoded',
          origin: 'null',
          'sec-fetch-site': 'same-origin',
          ...headers,
        },
        new URLSearchParams(form).toString(),
      ),
  }
}

/** The addresses that the forms of a page go to. */
export const actionsOf = (html: string): string[] =>
  [...html.matchAll(/<form method="post" action="([^"]+)"/g)].map(([, action = '']) => action)

/** The value of a hidden field of a page. */
export const hiddenOf = (html: string, name: string): string =>
  new RegExp(`<input type="hidden" name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? ''

/** What a page says, without its marks. */
export const wordsOf = (html: string): string =>
  html
    .slice(Math.max(0, html.indexOf('<main')))
    // Where a line may be broken there is no space.
    .replaceAll('<wbr>', '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replaceAll(/\s+/g, ' ')
    .trim()
