import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ContractPlatform, createContractPlatform } from '../testing/contract/contract-platform.ts'
import { keys } from '../testing/contract/keys.ts'
import { operationOf, operations } from '../testing/contract/operations.ts'
import { describedOperations, isHeadOf, routedOperations } from '../testing/contract/routes.ts'
import { platformHost } from '../testing/whole-platform.ts'

let platform: ContractPlatform
beforeAll(async () => {
  platform = await createContractPlatform()
})
afterAll(() => platform.close())
beforeEach(() => platform.reset())

/** The good request of an operation, with headers of its own, or by HEAD. */
async function succeed(name: string, headers: Record<string, string> = {}, method?: 'HEAD') {
  const { site, key } = operationOf(name)
  const answer = await platform.send(name, {
    host: site === 'platform' ? platformHost : 'members.acme.example',
    authorization: key === 'none' ? undefined : `Bearer ${key === 'platform' ? keys.operator : keys.acme}`,
    headers,
    ...(method && { method }),
  })
  const { date, connection, 'x-request-id': requestId, ...own } = answer.headers
  expect(Date.parse(String(date))).not.toBeNaN()
  expect(connection).toBe('keep-alive')
  expect(requestId).toMatch(/^[\w-]{12,}$/)
  return { answer, own }
}

describe('the headers of a success, all of them (decisions, "Answers")', () => {
  test.for(Object.keys(operations))('%s', async name => {
    const { status, answerHeaders } = operationOf(name)
    const { answer, own } = await succeed(name)
    expect(answer.statusCode).toBe(status)
    expect(own).toEqual(answerHeaders)
    const { 'content-length': length } = own
    if (length !== undefined) expect(Number(length)).toBe(answer.rawPayload.length)
    if (status === 204 || status === 302) expect(answer.body).toBe('')
    else expect(answer.body).not.toBe('')
    if (String(own['content-type']).includes('json')) expect(() => answer.json()).not.toThrow()
  })

  test('of JSON never name a charset, and those of JSON:API no parameter', async () => {
    const types = new Set<unknown>()
    for (const name of Object.keys(operations)) types.add((await succeed(name)).own['content-type'])
    expect(types).toEqual(
      new Set([
        'application/json',
        'application/vnd.api+json',
        'text/html; charset=utf-8',
        'text/javascript; charset=utf-8',
        undefined,
      ]),
    )
  })

  test('are media types that the document has', () => {
    for (const name of describedOperations(platform.app).keys()) {
      const [method = '', path = ''] = name.split(' ')
      const { status, answerHeaders } = operationOf(name)
      const paths = platform.app.swagger().paths as unknown as Record<
        string,
        Record<string, { responses: Record<string, { content?: object }> }>
      >
      const { content } =
        paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]?.responses[status] ?? {}
      expect([name, Object.keys(content ?? {})]).toEqual([
        name,
        [answerHeaders['content-type']].flatMap(type => String(type ?? '').split(';', 1)).filter(Boolean),
      ])
    }
  })
})

describe('what has an ETag', () => {
  const cached = Object.keys(operations).filter(name => operations[name]?.answerHeaders.etag)

  test.for(cached)('%s is answered with 304, and no body, to whoever has it', async name => {
    const { etag } = (await succeed(name)).own
    const { answer, own } = await succeed(name, { 'if-none-match': String(etag) })
    expect([answer.statusCode, answer.body]).toEqual([304, ''])
    const kept = Object.entries(operationOf(name).answerHeaders).filter(
      ([header]) => !/^content-(?!location)/.test(header),
    )
    expect(own).toEqual(Object.fromEntries(kept))
    const other = await succeed(name, { 'if-none-match': '"another"' })
    expect(other.answer.statusCode).toBe(200)
  })
})

describe('HEAD, with which monitors and caches ask (RFC 9110 9.3.2)', () => {
  const heads = [
    '/',
    '/.well-known/jwks.json',
    '/.well-known/oauth-authorization-server',
    '/.well-known/openid-configuration',
    '/api/v1/health',
    '/api/v1/landlord/health',
    '/api/v1/openapi.json',
    '/docs',
    '/docs/',
    '/docs/reference.js',
    '/docs/start.js',
    '/livez',
    '/readyz',
    '/sdk-:hash.js',
    '/sdk-sign-in-:hash.js',
    '/sdk-sign-in.js',
    '/sdk.js',
  ]

  test('is served where an answer is the same for everybody, or says how the platform is', () => {
    const served = routedOperations(platform.app).filter(name => isHeadOf(name, operations))
    expect(served.toSorted()).toEqual(heads.map(path => `HEAD ${path}`))
  })

  test.for(heads)('%s: the headers of GET, and no body', async path => {
    const got = await succeed(`GET ${path}`)
    const { answer, own } = await succeed(`GET ${path}`, {}, 'HEAD')
    expect([answer.statusCode, answer.body, own]).toEqual([got.answer.statusCode, '', got.own])
  })
})
