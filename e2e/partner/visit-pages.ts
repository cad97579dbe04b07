import type { Letter } from './read-mailbox.ts'

/** Signs in on the hosted pages as a browser without scripts does, by the code in the mail, from the address that a client
 *  sends the browser to. Answers the address that the browser is sent back to. */
export async function signInByCode(
  address: URL,
  options: {
    email: string
    letterTo: (email: string) => Promise<Letter>
  },
): Promise<URL> {
  const { email, letterTo } = options
  const cookies = new Map<string, string>()

  /** Sends a request with the cookies so far, and follows redirects on this host; 303, so each is a GET. */
  async function open(url: URL, form?: Record<string, string>): Promise<{ url: URL; page: string }> {
    const response = await fetch(url, {
      method: form ? 'POST' : 'GET',
      redirect: 'manual',
      headers: {
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(form && { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }),
      },
      ...(form && { body: new URLSearchParams(form).toString() }),
    })
    for (const line of response.headers.getSetCookie()) {
      const [name = '', ...value] = (line.split(';', 1)[0] ?? '').split('=')
      cookies.set(name, value.join('='))
    }
    const page = await response.text()
    const location = response.headers.get('location')
    if (location === null) {
      if (!response.ok) throw new Error(`${url} answered ${response.status}: ${page}`)
      return { url, page }
    }
    const next = new URL(location, url)
    return next.host === url.host ? open(next) : { url: next, page }
  }
  function action({ url, page }: { url: URL; page: string }): URL {
    const [, path] = /<form method="post" action="([^"]+)"/.exec(page) ?? []
    if (path === undefined) throw new Error(`${url} has no form: ${page}`)
    return new URL(path, url)
  }

  const start = await open(address)
  const mailSent = await open(action(start), { email })
  const { code } = await letterTo(email)
  const { url } = await open(action(mailSent), { code })
  return url
}
