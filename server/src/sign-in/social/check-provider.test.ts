import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { useProviderAdmin } from '../../testing/social/use-provider-admin.ts'

const shared = useProviderAdmin()
let count = 0

describe('what is wrong is told when it is saved', () => {
  async function withServer<T>(
    answer: (response: ServerResponse, url: string) => void,
    run: (issuer: string) => Promise<T>,
  ) {
    const server = createServer((request, response) => answer(response, request.url ?? ''))
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    try {
      await run(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    } finally {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    }
  }
  const json = (response: ServerResponse, body: unknown) =>
    void response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
  const tried = async (more: Record<string, unknown>) => {
    const answer = await shared.send('POST', '', {
      id: `tried-${++count}`,
      attributes: shared.attributes(more),
    })
    return [answer.statusCode, answer.json().message ?? answer.json().meta?.warnings]
  }

  test('a secret that the provider does not know', async () => {
    expect(await tried({ client_secret: 'wrong' })).toEqual([
      422,
      'client_secret was refused by Staff (invalid_client); compare it and client_id with what Staff shows.',
    ])
    expect(await tried({ client_id: 'nobody' })).toEqual([422, expect.stringContaining('(invalid_client)')])
    const id = await shared.make()
    const changed = await shared.send('PATCH', `/${id}`, { attributes: { client_secret: 'wrong' } })
    expect(changed.statusCode).toBe(422)
    expect((await shared.get(`/${id}`)).statusCode).toBe(200)
  })

  test('an issuer that calls itself otherwise', async () => {
    await withServer(
      response => json(response, { issuer: 'https://accounts.google.com' }),
      async issuer => {
        expect(await tried({ issuer })).toEqual([
          422,
          'issuer is not what the provider calls itself: https://accounts.google.com.',
        ])
      },
    )
  })

  const answers: [string, (response: ServerResponse) => void, string][] = [
    [
      'a page',
      response => void response.setHeader('content-type', 'text/html').end('<h1>Hi'),
      'what it answers is not JSON',
    ],
    [
      'half an object',
      response => void response.setHeader('content-type', 'application/json').end('{"issuer'),
      'what it answers is not JSON',
    ],
    ['an object without issuer', response => json(response, {}), 'what it answers does not name an issuer'],
    ['nothing there', response => void response.writeHead(404).end(), 'it answers 404'],
    [
      'a way elsewhere',
      response => void response.writeHead(302, { location: 'https://accounts.google.com' }).end(),
      'it answers 302',
    ],
    [
      'too much',
      response => json(response, { issuer: 'x'.repeat(300_000) }),
      'answered more than 262144 bytes',
    ],
  ]
  test.for(answers)('an address with %s, and why, and what to do', async ([, answer, cause]) => {
    await withServer(answer, async issuer => {
      expect(await tried({ issuer })).toEqual([
        422,
        expect.stringMatching(
          `^issuer has no discovery document that can be read at ${issuer}/\\.well-known/openid-configuration: .*${cause}; compare the issuer with what Staff shows\\.$`,
        ),
      ])
    })
  })

  test('a document that leads elsewhere is not followed', async () => {
    const before = shared.provider.requests.length
    await withServer(
      (response, url) => void response.writeHead(302, { location: shared.provider.issuer + url }).end(),
      async issuer => expect((await tried({ issuer }))[0]).toBe(422),
    )
    expect(shared.provider.requests).toHaveLength(before)
  })

  test.for([
    ['metadata of a cloud', 'http://169.254.169.254'],
    ['a private address', 'http://10.0.0.1'],
    ['a private address in IPv6', 'http://[fd00::1]'],
  ])('%s is not asked', async ([, issuer]) => {
    expect(await tried({ issuer })).toEqual([
      422,
      expect.stringContaining('issuer leads to where Usher does not go'),
    ])
  })

  test('a document whose endpoints lead inside', async () => {
    await withServer(
      (response, url) => {
        const issuer = `http://${response.req.headers.host}`
        if (!url.startsWith('/.well-known')) return void response.writeHead(404).end()
        json(response, {
          issuer,
          authorization_endpoint: `${issuer}/a`,
          token_endpoint: 'http://169.254.169.254/latest',
          jwks_uri: `${issuer}/k`,
        })
      },
      async issuer => {
        expect(await tried({ issuer })).toEqual([
          422,
          'issuer leads to where Usher does not go: 169.254.169.254 is not an address that may be asked.',
        ])
      },
    )
  })

  test('a document without what is needed', async () => {
    await withServer(
      response => json(response, { issuer: `http://${response.req.headers.host}` }),
      async issuer => {
        expect(await tried({ issuer })).toEqual([
          422,
          'issuer cannot be used: Its discovery document has no https address as authorization_endpoint.',
        ])
      },
    )
  })

  test.for(['authorization_endpoint', 'token_endpoint', 'jwks_uri', 'userinfo_endpoint'])(
    'a document with something else than a web address as %s',
    async name => {
      await withServer(
        (response, url) => {
          const issuer = `http://${response.req.headers.host}`
          if (!url.startsWith('/.well-known')) return void response.writeHead(404).end()
          const names = ['authorization_endpoint', 'token_endpoint', 'jwks_uri']
          const endpoints = Object.fromEntries(names.map(one => [one, `${issuer}/${one}`]))
          json(response, { issuer, ...endpoints, [name]: 'javascript://127.0.0.1/%0aalert(1)' })
        },
        async issuer => {
          expect(await tried({ issuer })).toEqual([
            422,
            `issuer cannot be used: Its discovery document has no https address as ${name}.`,
          ])
        },
      )
    },
  )

  test('a provider that is away, which can be saved without being offered', async () => {
    const issuer = 'http://127.0.0.1:9'
    expect(await tried({ issuer })).toEqual([
      422,
      'issuer cannot be asked now: 127.0.0.1:9 cannot be reached. Try again, or save it with enabled false until it answers.',
    ])
    expect((await tried({ issuer, enabled: false }))[0]).toBe(201)
  })

  test('that somebody else has changed it while it was tried', async () => {
    const id = await shared.make()
    const [tried, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    shared.provider.misbehave('/token', (_request, response) => {
      tried.resolve()
      const refuse = () =>
        response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"invalid_grant"}')
      void held.promise.then(refuse)
    })
    const changing = shared.send('PATCH', `/${id}`, { attributes: { client_secret: 'another' } })
    await tried.promise
    const other = await shared.send('PATCH', `/${id}`, { attributes: { name: 'Crew' } })
    expect(other.statusCode).toBe(200)
    held.resolve()
    const answer = await changing
    expect([answer.statusCode, answer.json()]).toEqual([
      409,
      { message: 'Somebody else has changed the provider meanwhile. Look at it, and try again.' },
    ])
    expect((await shared.get(`/${id}`)).json().data.attributes.name).toBe('Crew')
  })

  test('and what the provider does not tell is a warning', async () => {
    shared.provider.misbehave(
      '/token',
      (_request, response) =>
        void response
          .writeHead(400, { 'content-type': 'application/json' })
          .end('{"error":"invalid_request"}'),
    )
    expect(await tried({})).toEqual([
      201,
      ['Staff did not say whether the secret is right: it answered invalid_request.'],
    ])
  })
})
