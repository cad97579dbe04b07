import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { documentCheck } from '../testing/contract/document-check.ts'
import { operations, pages } from '../testing/contract/operations.ts'
import { describedOperations, isHeadOf, routedOperations } from '../testing/contract/routes.ts'
import { createWholePlatform, tokens, type WholePlatform } from '../testing/whole-platform.ts'

let platform: WholePlatform
beforeAll(async () => {
  platform = await createWholePlatform()
  await platform.app.ready()
})
afterAll(() => platform.close())

const where = 'server/src/testing/contract/*-operations.ts'

describe('every operation is known to the contract tests (threats, "API")', () => {
  test('those of the OpenAPI document', () => {
    const unknown = [...describedOperations(platform.app).keys()].filter(name => !operations[name])
    expect(
      unknown,
      `Add an entry to the table in ${where}: where the operation is served, whose key opens it, and a request that succeeds. The tests of credentials, hosts, tenants, input and headers then run over it.`,
    ).toEqual([])
  })

  test('those that the document leaves out', () => {
    const described = describedOperations(platform.app)
    const elsewhere = new Set(Object.values(pages).flat())
    const hidden = routedOperations(platform.app).filter(
      name => !described.has(name) && !elsewhere.has(name) && !isHeadOf(name, operations),
    )
    const explained = Object.keys(operations).filter(name => operations[name]?.undocumented)
    expect(
      hidden.toSorted(),
      `A route that the document does not show needs an entry in ${where} with the reason as "undocumented".`,
    ).toEqual(explained.toSorted())
  })

  test('and no other', () => {
    const routed = routedOperations(platform.app)
    const gone = [...Object.keys(operations), ...Object.values(pages).flat()].filter(
      name => !routed.includes(name),
    )
    expect(gone, `No route has these names any more: take them out of the table in ${where}.`).toEqual([])
  })
})

describe('what the document says of an operation agrees with what the tests expect of it', () => {
  test('the operation ids that the interface names', () => {
    const ids = Object.fromEntries(
      [...describedOperations(platform.app)].map(([name, { operationId }]) => [name, operationId]),
    )
    expect(ids['GET /api/v1/landlord/health']).toBe('platformHealth.show')
    expect(ids['GET /api/v1/landlord/tenants']).toBe('tenant.index')
    expect(new Set(Object.values(ids)).size).toBe(Object.keys(ids).length)
  })

  test('the refusals that its place and its key imply', () => {
    for (const [name, { statuses }] of describedOperations(platform.app)) {
      const operation = operations[name]
      const implied = [
        operation?.status,
        operation?.key !== 'none' && 401,
        (operation?.ability || operation?.site === 'tenant') && 403,
        operation?.site !== 'any' && 404,
        operation?.site === 'tenant' && (name.startsWith('GET ') ? 302 : 421),
      ].filter(status => typeof status === 'number')
      expect([name, statuses.filter(status => implied.includes(status))]).toEqual([
        name,
        implied.toSorted((a, b) => a - b),
      ])
    }
  })
})

describe('an answer that the document does not describe would be told', () => {
  const name = 'GET /api/platform/events'
  const good = () =>
    platform.request('members.acme.example', { url: '/api/platform/events', key: tokens.acme })
  const changed = (answer: Awaited<ReturnType<typeof good>>, change: object) =>
    Object.assign(Object.create(answer), change) as typeof answer

  test('and a good one is not', async () => {
    expect(documentCheck(platform.app)(name, await good())).toEqual([])
  })

  test.for<[what: string, operation: string, change: object, fault: string]>([
    ['a status', name, { statusCode: 418 }, 'status 418 is not described'],
    ['a body', name, { json: () => ({ data: { count: '0', events: [] } }) }, '/data/count must be integer'],
    ['a media type', name, { headers: { 'x-request-id': 'x', 'content-type': 'text/html' } }, 'is text/html'],
    [
      'a missing header',
      name,
      { headers: { 'content-type': 'application/json' } },
      'has no header X-Request-Id',
    ],
    ['a body that is none', 'DELETE /api/platform/events', { statusCode: 204, body: '{}' }, 'has a body'],
  ])('by %s', async ([, operation, change, fault]) => {
    expect(documentCheck(platform.app)(operation, changed(await good(), change)).join()).toContain(fault)
  })
})
