import { ErrorBody } from '@usher/contract'
import Fastify, { type FastifyInstance, type RouteOptions } from 'fastify'
import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { describeApi } from './describe-api.ts'
import { isObject, type JsonObject } from './json.ts'

const described = { operationId: 'thing.show', summary: 'Show a thing', tags: ['Health'] }

async function appWith(...routes: Omit<RouteOptions, 'handler'>[]): Promise<FastifyInstance> {
  const app = Fastify({ exposeHeadRoutes: false })
  await describeApi(app, new URL('https://platform.example.com'))
  for (const route of routes) app.route({ handler: async () => answer, ...route })
  await app.ready()
  return app
}

const answer = { name: null, count: '3', secret: 'kept', when: { at: 1.5 }, list: [undefined, 1] }

/** The schemas of an answer's bodies, by status. */
async function answersOf(route: Omit<RouteOptions, 'handler'>): Promise<JsonObject> {
  const app = await appWith(route)
  const { paths } = app.swagger() as unknown as { paths: Record<string, JsonObject> }
  const [operation] = Object.values(Object.values(paths)[0] ?? {})
  return isObject(operation) && isObject(operation.responses) ? operation.responses : {}
}

describe('what a route says of its answers', () => {
  test('changes nothing about them', async () => {
    const Lie = Type.Object({ name: Type.String(), count: Type.Integer(), when: Type.String() })
    const app = await appWith({
      method: 'GET',
      url: '/thing',
      config: { site: 'any' },
      schema: { ...described, response: { 200: Lie } },
    })
    const response = await app.inject('/thing')
    expect(response.statusCode).toBe(200)
    expect(response.body).toBe(JSON.stringify(answer))
  })

  test.each([
    ['no operationId', { ...described, operationId: '' }],
    ['no summary', { ...described, summary: '' }],
    ['no tag', { ...described, tags: [] }],
    ['a tag that nobody described', { ...described, tags: ['Things'] }],
  ])('is asked for: %s', async (_name, schema) => {
    await expect(
      appWith({ method: 'GET', url: '/thing', schema: { ...schema, response: { 200: ErrorBody } } }),
    ).rejects.toThrow('The route GET /thing needs')
  })

  test('cannot give one name to two schemas', async () => {
    const app = await appWith({
      method: 'GET',
      url: '/thing',
      schema: { ...described, response: { 200: ErrorBody, 400: { ...ErrorBody, description: 'Another.' } } },
    })
    expect(() => app.swagger()).toThrow('Two different schemas are named Error.')
  })
})

describe('the answers of the edge', () => {
  const schema = { ...described, response: { 200: ErrorBody } }

  test.each([
    ['anywhere', { site: 'any' }, [200]],
    ['on the platform', {}, [200, 404, 500]],
    ['for operators', { operator: true }, [200, 401, 404, 500, 503]],
    [
      'for operators with an ability',
      { operator: true, ability: 'admin:read' },
      [200, 401, 403, 404, 500, 503],
    ],
    // Its own answer when keys cannot be checked is the degraded report.
    ['of health', { operator: true, health: true }, [200, 401, 404, 500]],
    ['of the API', { site: 'api', ability: 'events:read' }, [200, 401, 403, 404, 422, 500, 503]],
    ['of a tenant', { site: 'tenant' }, [200, 302, 403, 404, 500, 503]],
  ] as const)('stand beside a route %s', async (_name, config, statuses) => {
    expect(
      Object.keys(await answersOf({ method: 'GET', url: '/thing', config, schema })).map(Number),
    ).toEqual(statuses)
  })

  test('stand beside a body, and leave what the route says', async () => {
    const own = { description: 'Not that one.', content: { 'application/json': { schema: ErrorBody } } }
    const answers = await answersOf({
      method: 'POST',
      url: '/thing',
      config: { site: 'tenant' },
      schema: {
        ...schema,
        body: Type.Object({ to: Type.Integer() }),
        response: { 200: ErrorBody, 413: own },
      },
    })
    expect(Object.keys(answers).map(Number)).toEqual([200, 400, 403, 404, 413, 415, 421, 422, 500, 503])
    expect(answers[413]).toMatchObject({ description: 'Not that one.' })
    expect(answers[422]).toMatchObject({
      content: {
        'application/json': { example: { message: 'to is missing.', errors: { to: ['to is missing.'] } } },
      },
    })
  })
})
