import type { LookupAddress } from 'node:dns'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { guardLookup, type Resolve } from './guard-lookup.ts'
import { type Outgoing, type OutgoingOptions, openOutgoing } from './open-outgoing.ts'

const ending: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ending.splice(0)) await end()
})

async function listen(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<{ port: number; requests: string[] }> {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.headers.host} ${request.url}`)
    answer(request, response)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  ending.push(() => {
    server.closeAllConnections()
    return new Promise(resolve => server.close(resolve))
  })
  return { port: (server.address() as AddressInfo).port, requests }
}

function open(options: Partial<OutgoingOptions> = {}): Outgoing {
  const outgoing = openOutgoing({ allowLocal: true, ...options })
  ending.push(outgoing.close)
  return outgoing
}
const get = (outgoing: Outgoing, url: string) => outgoing.fetch(url, { method: 'GET', headers: {} })
const faultOf = (fetched: Promise<Response>): Promise<unknown> =>
  fetched.then(
    answer => answer.status,
    error => error.fault,
  )
const ok = (_request: IncomingMessage, response: ServerResponse) => void response.end('{"a":1}')
const at = (...addresses: string[]): Resolve => {
  return async () => addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 }))
}

describe('in development', () => {
  test('this machine is asked, over http, by names below localhost too', async () => {
    const { port, requests } = await listen(ok)
    const outgoing = open()
    for (const host of ['127.0.0.1', 'localhost', 'idp.localhost'])
      expect(await (await get(outgoing, `http://${host}:${port}/a?b=c`)).json()).toEqual({ a: 1 })
    expect(requests).toEqual([
      `GET 127.0.0.1:${port} /a?b=c`,
      `GET localhost:${port} /a?b=c`,
      `GET idp.localhost:${port} /a?b=c`,
    ])
  })

  test.for(['somebody@', 'somebody:secret@', ':secret@'])(
    'no user and no password in the address is sent: %s',
    async credentials => {
      const { port, requests } = await listen(ok)
      expect(await faultOf(get(open(), `http://${credentials}127.0.0.1:${port}/`))).toBe('forbidden')
      expect(requests).toEqual([])
    },
  )

  test('a form arrives with its headers', async () => {
    const { port } = await listen((request, response) => void request.pipe(response))
    const sent = await open().fetch(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ a: 'b c' }),
    })
    expect(await sent.text()).toBe('a=b+c')
  })
})

describe('in production (threats: a tenant names where to go)', () => {
  test('http is not spoken', async () => {
    const { port, requests } = await listen(ok)
    // Refused as such, and not for where it leads.
    await expect(get(open({ allowLocal: false }), `http://127.0.0.1:${port}/`)).rejects.toMatchObject({
      fault: 'forbidden',
      message: `127.0.0.1:${port} is not an https address.`,
    })
    expect(requests).toEqual([])
  })

  test.for([
    ['an address of this machine', (port: number) => `https://127.0.0.1:${port}/`],
    ['the same in one number', (port: number) => `https://2130706433:${port}/`],
    ['the same in hexadecimal', (port: number) => `https://0x7f.1:${port}/`],
    ['the same in IPv6', (port: number) => `https://[::ffff:127.0.0.1]:${port}/`],
    ['a name of this machine', (port: number) => `https://localhost:${port}/`],
    ['metadata of a cloud', () => 'https://169.254.169.254/'],
    ['a private address', () => 'https://10.0.0.1/'],
    ['a user in the address', (port: number) => `https://somebody@127.0.0.1:${port}/`],
    ['a file', () => 'file:///etc/passwd'],
    ['no address', () => 'provider'],
  ] as const)('%s is not asked', async ([, address]) => {
    const { port, requests } = await listen(ok)
    expect(await faultOf(get(open({ allowLocal: false }), address(port)))).toBe('forbidden')
    expect(requests).toEqual([])
  })

  test('a name that leads inside is not asked', async () => {
    const { port, requests } = await listen(ok)
    for (const address of ['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', 'fd00::1']) {
      const outgoing = open({ allowLocal: false, resolve: at(address) })
      expect([address, await faultOf(get(outgoing, `https://idp.localhost:${port}/`))]).toEqual([
        address,
        'forbidden',
      ])
    }
    expect(requests).toEqual([])
  })
})

describe('a name that means something else a moment later', () => {
  /** The addresses that a look-up gives for connecting. */
  const lookUp = (resolve: Resolve, allowLoopback: boolean): Promise<unknown> =>
    new Promise(done => {
      guardLookup(resolve, allowLoopback)('idp.example', { all: true }, (error, found) =>
        done(
          error
            ? (error as Error & { fault?: string }).fault
            : (found as LookupAddress[]).map(one => one.address),
        ),
      )
    })

  test('is looked at each time, and what is looked at is connected to', async () => {
    const answers = [['93.184.216.34'], ['127.0.0.1'], ['93.184.216.34', '10.0.0.1', '::1']]
    const resolve: Resolve = async () => at(...(answers.shift() ?? []))('')
    expect(await lookUp(resolve, false)).toEqual(['93.184.216.34'])
    expect(await lookUp(resolve, false)).toBe('forbidden')
    expect(await lookUp(resolve, false)).toEqual(['93.184.216.34'])
  })

  test('does not slip by on the second connection', async () => {
    const { port, requests } = await listen(
      (_request, response) => void response.setHeader('connection', 'close').end('{}'),
    )
    const answers = [['127.0.0.1'], ['10.0.0.1']]
    const outgoing = open({ resolve: async () => at(...(answers.shift() ?? []))('') })
    expect(await faultOf(get(outgoing, `http://idp.localhost:${port}/`))).toBe(200)
    expect(await faultOf(get(outgoing, `http://idp.localhost:${port}/`))).toBe('forbidden')
    expect(requests).toHaveLength(1)
  })
})

describe('an answer', () => {
  test('that leads elsewhere is not followed', async () => {
    const target = await listen(ok)
    for (const status of [301, 302, 303, 307, 308]) {
      const { port } = await listen(
        (_request, response) =>
          void response.writeHead(status, { location: `http://127.0.0.1:${target.port}/` }).end(),
      )
      expect(await faultOf(get(open(), `http://127.0.0.1:${port}/`))).toBe(status)
    }
    expect(target.requests).toEqual([])
  })

  test('that is too long is cut off, whether it says so or not', async () => {
    const said = await listen(
      (_request, response) => void response.setHeader('content-length', 5_000).end('x'.repeat(5_000)),
    )
    const unsaid = await listen((_request, response) => {
      const pour = (): void => {
        while (response.writable && response.write('x'.repeat(1_000)));
      }
      response.on('drain', pour).on('error', () => {})
      pour()
    })
    for (const { port } of [said, unsaid])
      expect(await faultOf(get(open({ maxBytes: 4_000 }), `http://127.0.0.1:${port}/`))).toBe('too_large')
  })

  test('that is packed is not unpacked', async () => {
    const { port } = await listen(
      (request, response) =>
        void response.setHeader('content-encoding', 'gzip').end(String(request.headers['accept-encoding'])),
    )
    expect(await (await get(open(), `http://127.0.0.1:${port}/`)).text()).toBe('identity')
  })

  test.for([
    ['never comes', () => {}],
    ['begins, and never ends', (response: ServerResponse) => void response.write('{')],
  ] as const)('that %s is given up', async ([, begin]) => {
    const { port } = await listen((_request, response) => begin(response))
    expect(await faultOf(get(open({ timeoutMs: 100 }), `http://127.0.0.1:${port}/`))).toBe('slow')
  })

  test('that nobody gives is told as such', async () => {
    const { port } = await listen(request => request.socket.destroy())
    expect(await faultOf(get(open(), `http://127.0.0.1:${port}/`))).toBe('away')
  })
})
