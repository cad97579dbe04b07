import { request } from 'node:http'

interface Got {
  status: number
  location: string | undefined
  body: string
}

/** Asks a server on this machine, by whatever name below .localhost. */
function ask(
  method: 'GET' | 'POST',
  address: string,
  { cookies, form }: { cookies: Map<string, string>; form?: Record<string, string> },
): Promise<Got> {
  const { host, port, pathname, search } = new URL(address)
  const got = Promise.withResolvers<Got>()
  const headers = {
    host,
    cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
  }
  const sent = request(
    { host: '127.0.0.1', port, path: pathname + search, method, headers, agent: false },
    answer => {
      for (const line of answer.headers['set-cookie'] ?? []) {
        const [pair = ''] = line.split(';', 1)
        const at = pair.indexOf('=')
        if (at < 0) continue
        if (pair.length === at + 1) cookies.delete(pair.slice(0, at))
        else cookies.set(pair.slice(0, at), pair.slice(at + 1))
      }
      const pieces: Buffer[] = []
      answer.on('data', piece => pieces.push(piece))
      answer.on('error', got.reject)
      answer.on('end', () => {
        const { location } = answer.headers
        got.resolve({
          status: answer.statusCode ?? 0,
          location: location === undefined ? undefined : new URL(location, address).href,
          body: Buffer.concat(pieces).toString(),
        })
      })
    },
  )
  sent.on('error', got.reject)
  sent.end(form && new URLSearchParams(form).toString())
  return got.promise
}

/** Signs in at a provider that a browser was sent to, as a person does who has never been there, and answers the address
 *  that the browser is sent back to. */
export async function signInAt(address: string, form: Record<string, string>): Promise<URL> {
  const { origin } = new URL(address)
  const cookies = new Map<string, string>()
  let at = address
  for (let hops = 0; hops < 10; hops++) {
    let got = await ask('GET', at, { cookies })
    const action = /<form method="post" action="([^"]+)"/.exec(got.body)?.[1]
    if (got.status === 200 && action !== undefined)
      got = await ask('POST', new URL(action, at).href, { cookies, form })
    if (got.location === undefined) throw new Error(`The provider stays at ${at}: ${got.status} ${got.body}`)
    at = got.location
    if (new URL(at).origin !== origin) return new URL(at)
  }
  throw new Error(`The provider does not come to an end at ${at}.`)
}
