import { METHODS } from 'node:http'
import { describe, expect, test } from 'vitest'
import { keys } from '../testing/contract/keys.ts'
import { canaries } from '../testing/contract/log-lines.ts'
import { addressOf, operationOf, operations } from '../testing/contract/operations.ts'
import { describedOperations, routedOperations } from '../testing/contract/routes.ts'
import { useVariedOperations } from '../testing/contract/use-varied-operations.ts'
import { hostileTexts } from '../testing/contract/wrong-values.ts'
import { platformHost } from '../testing/whole-platform.ts'

const contract = useVariedOperations()
const { tenantHost, vary, expectRefusal, nothingChanged } = contract
const described = () => [...describedOperations(contract.platform.app)]
const json = (value: unknown) => JSON.stringify(value)

describe('a query', () => {
  test('with a wrong value of a parameter is refused, and nothing happens', async () => {
    for (const [name, { parameters, statuses }] of described())
      for (const { name: parameter } of parameters.filter(one => one.in === 'query')) {
        const good = operationOf(name).query ?? ''
        const raw = [
          '%',
          '%zz',
          '%ff',
          '%ed%a0%80',
          '%00',
          '1%00',
          '+1',
          '1+',
          '%201',
          '0x1',
          '1e3',
          '١',
          '1,2',
        ]
        const texts = hostileTexts.filter(text => text.isWellFormed()).map(encodeURIComponent)
        for (const value of [...raw, ...texts]) {
          // The value alone, and beside a good one: sent twice.
          for (const query of [`${parameter}=${value}`, `${good}&${parameter}=${value}`]) {
            const answer = await vary(name, { query: query.replace(/^&/, '') })
            expectRefusal(name, answer, `${name}?${query}`, statuses.includes(400) ? [400, 422] : [422])
          }
        }
      }
    await nothingChanged()
  })

  test('with a parameter twice, or as a list or an object, is refused', async () => {
    for (const [name, { parameters, statuses }] of described())
      for (const { name: parameter } of parameters.filter(one => one.in === 'query')) {
        const value =
          { 'fields[tenants]': 'name', first_id: contract.platform.recorded.acme.events[1] ?? '' }[
            parameter
          ] ?? '1'
        const required = parameter === 'count' || name.startsWith('GET') ? '' : 'count=1&'
        const query = `${required}${parameter}=${value}&${parameter}=${value}`
        const answer = await vary(name, { query })
        expectRefusal(name, answer, `${name}?${query}`, statuses.includes(400) ? [400] : [422])
      }
    await nothingChanged()
  })

  test('with parameters that a route does not know is answered as without them', async () => {
    const unknown = [
      '__proto__=1',
      '__proto__[polluted]=1',
      'constructor[prototype][polluted]=1',
      'toString=1',
      'hasOwnProperty=1',
      'count[]=5',
      'limit[a]=1',
      'LIMIT=x',
      '&&&',
      '=',
      '%',
      '%zz=%zz',
      '%00=%00',
      'a'.repeat(4_000),
      Array.from({ length: 1_500 }, (_, at) => `p${at}=1`).join('&'),
    ]
    for (const name of Object.keys(operations)) {
      const { query: good, status } = operationOf(name)
      for (const query of unknown) {
        const answer = await vary(name, { query: good ? `${good}&${query}` : query })
        expect([name, query.slice(0, 40), answer.statusCode]).toEqual([name, query.slice(0, 40), status])
        if (!name.startsWith('GET')) await contract.platform.reset()
      }
    }
    expect(Object.prototype).not.toHaveProperty('polluted')
  })

  test('with what JSON:API reserves and the tenant list does not support is 400', async () => {
    const name = 'GET /api/v1/landlord/tenants'
    for (const query of [
      'include=staff',
      'sort=name',
      'filter[name]=acme',
      'page[size]=1',
      'fields[staff]=name',
      'fields=name',
      'fields[tenants][]=name',
      'fields[tenants]=name,,slug',
      'fields[tenants]=name,name',
      'fields[tenants]=Name',
      'fields[tenants]=__proto__',
      'fields[tenants]=id',
    ])
      expectRefusal(name, await vary(name, { query }), query, [400])
  })
})

describe('a header', () => {
  test('that an operation takes, with a wrong value, is refused, and nothing happens', async () => {
    for (const [name, { parameters }] of described())
      for (const { name: header } of parameters.filter(one => one.in === 'header'))
        for (const value of [
          '',
          ' ',
          'a b',
          'a\tb',
          'a, b',
          'é',
          '\x80',
          'x'.repeat(256),
          'x'.repeat(8_000),
        ]) {
          const answer = await vary(name, { headers: { [header.toLowerCase()]: value } })
          expectRefusal(name, answer, `${name} ${header}: ${json(value).slice(0, 30)}`, [422])
        }
    await nothingChanged()
  })

  test('that says something odd of the client is no harm', async () => {
    const odd = [
      '',
      ',',
      ',,,',
      'é\x80\xff',
      '"',
      '\\',
      '{"a":1}',
      'unknown',
      '::',
      '1.2.3.4.5',
      'x'.repeat(8_000),
    ]
    for (const header of [
      'user-agent',
      'x-forwarded-for',
      'origin',
      'referer',
      'accept',
      'accept-encoding',
      'if-none-match',
      'range',
      'cookie',
    ])
      for (const value of odd)
        for (const name of [
          'POST /api/sdk/events',
          'GET /api/platform/events',
          'GET /sdk.js',
          'GET /readyz',
        ]) {
          const answer = await vary(name, { headers: { [header]: value } })
          expect([name, header, value.slice(0, 20), answer.statusCode]).toEqual([
            name,
            header,
            value.slice(0, 20),
            operationOf(name).status,
          ])
        }
    const { events } = (await vary('GET /api/platform/events', {})).json().data
    expect(new Set(events.map((event: { ip_address: string }) => event.ip_address))).toEqual(
      new Set(['127.0.0.1']),
    )
  })
})

describe('a method that a path does not have', () => {
  const routes = Map.groupBy(Object.keys(operations), name => name.split(' ')[1] ?? '')

  test.for([...routes])('%s', async ([pattern, names]) => {
    const { path } = addressOf(names[0] ?? '')
    const routed = routedOperations(contract.platform.app)
    for (const method of METHODS) {
      if (method === 'CONNECT' || routed.includes(`${method} ${pattern}`)) continue
      for (const host of [platformHost, tenantHost]) {
        const answer = await contract.platform.app.inject({
          method: method as 'GET',
          url: `${path}?count=1&${canaries.query}=1`,
          headers: { host, authorization: `Bearer ${keys.acme}`, 'content-type': 'application/json' },
          ...(!['GET', 'HEAD', 'TRACE'].includes(method) && { payload: '{"to":0}' }),
        })
        expect([method, answer.statusCode]).toEqual([method, 404])
        expect(answer.headers['content-type']).toBe('application/json')
        if (method !== 'HEAD') expect(answer.json()).toEqual({ message: 'There is nothing at this address.' })
      }
    }
    await nothingChanged()
  })
})

test('an address that does not exist is 404 with a message, whatever is sent there', async () => {
  for (const url of [
    '/nowhere',
    '/api',
    '/api/v1',
    '/api/v1/landlord',
    '/api/v2/health',
    '/favicon.ico',
    '/.env',
  ])
    for (const host of [platformHost, tenantHost, 'accounts.acme.example', 'nobody.example'])
      for (const method of ['GET', 'POST', 'DELETE'] as const) {
        const answer = await contract.platform.app.inject({ method, url, headers: { host } })
        expect([url, answer.statusCode, answer.json()]).toEqual([
          url,
          404,
          { message: 'There is nothing at this address.' },
        ])
      }
})

test('no log line of all this holds a key, a mail address, a cookie or a query', () => {
  expect(contract.platform.linesWithSecrets()).toEqual([])
})
