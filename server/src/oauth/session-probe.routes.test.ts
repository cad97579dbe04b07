import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { watchChanges } from '../testing/contract/watch-changes.ts'
import { hostOf, issuerOf } from '../testing/oauth-platform.ts'
import {
  allowed,
  codeOf,
  createProbePlatform,
  nobody,
  type ProbePlatform,
} from '../testing/probe-platform.ts'
import { platformHost } from '../testing/whole-platform.ts'

let platform: ProbePlatform
beforeAll(async () => {
  platform = await createProbePlatform()
})
afterAll(() => platform.close())

const json = (content: object) => {
  const body = JSON.stringify(content)
  return { headers: { 'content-type': 'application/json', 'content-length': String(body.length) }, body }
}

describe('GET /oauth/session (interface 4.8), to the last header', () => {
  test('says that nobody is signed in, which is no error', async () => {
    expect(await platform.ask()).toEqual(nobody)
  })

  test('gives a code where a member is', async () => {
    const { cookie } = await platform.signIn()
    codeOf(await platform.ask({ cookie }))
  })

  test('does not care for parameters and headers that mean nothing', async () => {
    expect(await platform.ask({ query: '?a=1&client_id=partner&a=2&prompt=none' })).toEqual(nobody)
    const headers = {
      Authorization: 'Bearer x',
      'Content-Type': 'application/json',
      'Sec-Fetch-Dest': 'iframe',
    }
    expect(await platform.ask({ headers })).toEqual(nobody)
  })

  test('changes no row but that of the code, and sets no cookie', async () => {
    const { cookie } = await platform.signIn()
    const changes = await watchChanges(platform.database.db)
    expect(await platform.ask()).toEqual(nobody)
    expect(await platform.ask({ query: '' })).toMatchObject({ status: 403 })
    expect(await platform.ask({ method: 'OPTIONS' })).toMatchObject({ status: 204 })
    expect(await changes()).toEqual([])
    codeOf(await platform.ask({ cookie, headers: { 'User-Agent': 'another' } }))
    expect(await changes()).toEqual(['INSERT authorization_codes'])
  })

  test('is not served to HEAD, nor to what would change something', async () => {
    const { cookie } = await platform.signIn()
    const before = await platform.countCodes()
    for (const method of ['HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      const { status, headers } = await platform.ask({ method, cookie })
      expect([method, status, Object.keys(headers).toSorted()]).toEqual([
        method,
        404,
        ['content-length', 'content-type'],
      ])
    }
    expect(await platform.countCodes()).toBe(before)
  })
})

describe('OPTIONS /oauth/session (interface 4.8a), to the last header', () => {
  test('lets the browser send a GET', async () => {
    expect(
      await platform.ask({ method: 'OPTIONS', headers: { 'Access-Control-Request-Method': 'GET' } }),
    ).toEqual({
      status: 204,
      headers: {
        ...allowed,
        'access-control-allow-methods': 'GET',
        'access-control-allow-headers': 'Content-Type',
        'access-control-max-age': '600',
      },
      body: '',
    })
  })
})

describe('where it is served (interface 4.8; decisions, "Addresses")', () => {
  const aliases = ['accounts.acme.example', `acme.${platformHost}`]

  test('a GET to an alias is a 302 without CORS headers, also of somebody who is signed in', async () => {
    const { cookie } = await platform.signIn()
    for (const host of aliases)
      expect(await platform.ask({ host, cookie })).toEqual({
        status: 302,
        headers: { location: `${issuerOf()}/oauth/session?client_id=partner`, 'content-length': '0' },
        body: '',
      })
  })

  test('a preflight at an alias is 421', async () => {
    for (const host of aliases)
      expect(await platform.ask({ host, method: 'OPTIONS' })).toEqual({
        status: 421,
        ...json({ message: `This host is an alias. Send the request to ${issuerOf()}.` }),
      })
  })

  test.for([
    ['the platform host', platformHost, "This address is served at a tenant's domain only."],
    ['an unknown host', 'nobody.example', 'No tenant answers at this host.'],
  ] as const)('%s is 404, without CORS headers', async ([, host, message]) => {
    for (const method of ['GET', 'OPTIONS'])
      expect(await platform.ask({ host, method })).toEqual({ status: 404, ...json({ message }) })
  })

  test('a suspended tenant is 403, without CORS headers', async () => {
    const { cookie } = await platform.signIn('globe')
    const suspend = (at: Date | null) =>
      platform.database.pool.query("update tenants set suspended_at = $1 where slug = 'globe'", [at])
    const message = 'This tenant is suspended. Ask the operator of the platform.'
    const asked = { host: hostOf('globe'), origin: 'https://news.globe.example', cookie }
    await suspend(new Date())
    await expect.poll(() => platform.ask(asked)).toEqual({ status: 403, ...json({ message }) })
    expect(await platform.ask({ ...asked, method: 'OPTIONS' })).toEqual({ status: 403, ...json({ message }) })
    await suspend(null)
    await expect.poll(async () => (await platform.ask(asked)).status).toBe(200)
  })
})
