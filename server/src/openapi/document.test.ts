import { readFile } from 'node:fs/promises'
import { Validator } from '@seriousme/openapi-schema-validator'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pages } from '../testing/contract/operations.ts'
import { documentPath, renderDocument } from './committed-document.ts'
import { buildDescribedApp } from './described-app.ts'
import type { JsonObject } from './json.ts'
import { tags } from './tags.ts'

interface Answer {
  description: string
  headers: Record<string, { $ref: string }>
  content?: Record<string, JsonObject>
}

interface Operation {
  operationId: string
  summary: string
  description: string
  tags: string[]
  security: { bearer?: string[] }[]
  servers?: { url: string }[]
  parameters?: { name: string; in: string; schema: JsonObject; description?: string }[]
  requestBody?: { content: Record<string, JsonObject> }
  responses: Record<string, Answer>
}

const text = await readFile(documentPath, 'utf8')
const document = JSON.parse(text)
const operations = Object.entries(document.paths as Record<string, Record<string, Operation>>).flatMap(
  ([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
)
const operation = (id: string) => {
  const found = operations.find(({ operationId }) => operationId === id)
  if (!found) throw new Error(`There is no operation ${id}.`)
  return found
}

/** Routes that are there and not described: preflights, copies, and pages for people. */
const hidden = [
  'GET /sdk-{hash}.js',
  'GET /sdk-sign-in-{hash}.js',
  'OPTIONS /api/sdk/events',
  'OPTIONS /api/sdk/member',
  'OPTIONS /api/sdk/member/sessions',
  'OPTIONS /api/sdk/member/sessions/{session_id}',
  'OPTIONS /api/sdk/sign-out',
  'OPTIONS /oauth/userinfo',
  'OPTIONS /oauth/session',
  'GET /',
  'GET /docs',
  'GET /docs/',
  'GET /docs/reference.js',
  'GET /docs/start.js',
  'GET /silent-sign-in/check.js',
  ...Object.values(pages)
    .flat()
    .map(name => name.replace(/:(\w+)/g, '{$1}')),
]

describe('the description of the API (interface 9)', () => {
  let app: FastifyInstance
  beforeAll(async () => {
    app = await buildDescribedApp()
  })
  afterAll(() => app.close())

  test('is kept in docs/openapi.json as the routes have it', async () => {
    expect(await renderDocument(), 'Run "npm run openapi" and look at what changed.').toBe(text)
  })

  test('is OpenAPI 3.1.0, version 1.0', async () => {
    expect(document).toMatchObject({ openapi: '3.1.0', info: { version: '1.0' } })
    expect(await new Validator().validate(structuredClone(document))).toEqual({ valid: true })
  })

  test('is checked by a validator that tells a wrong one', async () => {
    const wrong = structuredClone(document)
    wrong.paths['/livez'].get.responses['200'].headers['X-Request-Id'] = { schema: 'text' }
    expect(await new Validator().validate(wrong)).toMatchObject({ valid: false })
  })

  test('has every route, but for those that are hidden', () => {
    const described = operations.map(({ method, path }) => `${method} ${path}`)
    const known = [...described, ...hidden]
    const heads = routesOf(app).filter(name => known.includes(name.replace(/^HEAD /, 'GET ')))
    expect([...new Set([...known, ...heads])].sort()).toEqual(routesOf(app).sort())
  })

  test('has the operations of the interface under their names', () => {
    expect(operation('platformHealth.show')).toMatchObject({ method: 'GET', path: '/api/v1/landlord/health' })
    expect(operation('tenant.index')).toMatchObject({ method: 'GET', path: '/api/v1/landlord/tenants' })
  })

  test('names each operation once, and has no component that nobody refers to', () => {
    const ids = operations.map(({ operationId }) => operationId)
    expect(new Set(ids).size).toBe(ids.length)
    for (const [kind, members] of Object.entries(document.components as Record<string, JsonObject>))
      for (const name of Object.keys(members)) {
        expect(name).not.toMatch(/^def-/)
        if (kind !== 'securitySchemes') expect(text).toContain(`"$ref": "#/components/${kind}/${name}"`)
      }
  })

  test('has a schema wherever one is due, and nothing else in its place', () => {
    const place = (value: unknown, path: string): string[] =>
      typeof value !== 'object' || value === null
        ? []
        : Object.entries(value).flatMap(([name, member]) => [
            // What an example shows, and what fields are called, is free.
            ...(name === 'schema' && 'schema' in (member as object) ? [path] : []),
            ...(['example', 'examples', 'properties'].includes(name) ? [] : place(member, `${path}/${name}`)),
          ])
    expect(place(document, '')).toEqual([])
    expect(place({ headers: { Location: { schema: { schema: { type: 'string' } } } } }, '')).toEqual([
      '/headers/Location',
    ])
    for (const { method, path, responses } of operations)
      for (const [status, answer] of Object.entries(responses))
        for (const header of Object.values(answer.headers))
          expect([method, path, status, '$ref' in header || 'schema' in header]).toContain(true)
  })

  test('has the media types that are sent', () => {
    const types = (id: string, status: number) => Object.keys(operation(id).responses[status]?.content ?? {})
    expect(types('tenant.index', 200)).toEqual(['application/vnd.api+json'])
    expect(types('tenant.index', 401)).toEqual(['application/json'])
    expect(types('platformEvents.destroy', 204)).toEqual([])
    expect(types('sdk.script', 200)).toEqual(['text/javascript'])
    expect(Object.keys(operation('sdkEvents.store').requestBody?.content ?? {})).toEqual([
      'application/json',
      'text/plain',
    ])
  })

  test('has the parameters of the interface as it types them', () => {
    const parameter = (id: string, name: string) =>
      operation(id).parameters?.find(candidate => candidate.name === name)
    expect(parameter('tenant.index', 'fields[tenants]')).toMatchObject({
      in: 'query',
      required: false,
      style: 'form',
      explode: false,
      schema: { type: 'array', items: { type: 'string', enum: ['name', 'slug', 'domain', 'created_at'] } },
    })
    expect(parameter('platformEvents.destroy', 'count')).toMatchObject({
      in: 'query',
      required: true,
      schema: { type: 'integer', minimum: 1 },
    })
  })
})

describe.each(operations)('$method $path', ({ method, path, ...described }) => {
  const answers = Object.entries(described.responses)
  const statuses = answers.map(([status]) => Number(status))
  const roles = described.security.flatMap(({ bearer = [] }) => bearer)
  const urls = (described.servers ?? document.servers).map(({ url }: { url: string }) => url)

  test('says what it does, in a group that is described', () => {
    expect(described.operationId).toMatch(/^[a-zA-Z]+(\.[a-z]+)?$/)
    expect(described.summary).not.toBe('')
    expect(described.tags.length).toBeGreaterThan(0)
    for (const tag of described.tags) expect(tags.map(({ name }) => name)).toContain(tag)
    for (const { name, description } of described.parameters ?? []) expect(description, name).toBeTruthy()
  })

  test('has every answer that its key, its host and its body bring with them', () => {
    if (described.security.length > 0) expect(statuses).toEqual(expect.arrayContaining([401, 503]))
    if (roles.length > 0) expect(statuses).toContain(403)
    if (urls.every((url: string) => url.includes('{tenant_domain}')))
      expect(statuses).toEqual(expect.arrayContaining([403, 404, 503, method === 'GET' ? 302 : 421]))
    if (described.servers || roles.length > 0) expect(statuses).toContain(404)
    if (urls.length > 1 && roles.length > 0) expect(statuses).toContain(422)
    // A form is read by its route, which refuses what is none with 400.
    const isForm = described.requestBody?.content['application/x-www-form-urlencoded'] !== undefined
    if (described.requestBody)
      expect(statuses).toEqual(expect.arrayContaining(isForm ? [400, 413] : [400, 413, 415, 422]))
    if (path.startsWith('/api/')) expect(statuses).toContain(500)
  })

  test.each(answers)('describes %s, its headers and its body', (status, answer) => {
    expect(answer.description).not.toMatch(/^(Default Response)?$/)
    const headers = Object.keys(answer.headers)
    expect(headers).toContain('X-Request-Id')
    expect(headers.includes('WWW-Authenticate')).toBe(status === '401')
    const isRefusal = JSON.stringify(answer.content ?? '').includes('/Error"')
    expect(headers.includes('Retry-After')).toBe(['429', '503'].includes(status) && isRefusal)
    expect(answer.content === undefined).toBe(['204', '302', '304'].includes(status))
    for (const [type, media] of Object.entries(answer.content ?? {}))
      if (type.includes('json')) expect('example' in media || 'examples' in media).toBe(true)
  })

  test('shows an example of what is sent', () => {
    for (const media of Object.values(described.requestBody?.content ?? {}))
      expect('example' in media || 'examples' in media).toBe(true)
    for (const parameter of described.parameters ?? []) expect(parameter).toHaveProperty('example')
  })
})

/** Every route of the app, from the tree that it prints, as `METHOD /path/{parameter}`. */
function routesOf(app: FastifyInstance): string[] {
  const above: string[] = []
  return app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap(line => {
      const [, indent, segment, methods] = /^(.*?)[├└]── (\S+)(?: \(([A-Z, ]+)\))?$/.exec(line) ?? []
      if (indent === undefined || segment === undefined) return []
      const depth = indent.length / 4
      above.splice(depth, above.length, segment)
      const path = above.join('').replace(/:(\w+)/g, '{$1}')
      return (methods?.split(', ') ?? []).map(method => `${method} ${path}`)
    })
}
