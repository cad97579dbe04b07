import type { FastifyInstance } from 'fastify'

/** What the OpenAPI document says of one operation, as far as tests ask. */
export interface DescribedOperation {
  operationId: string
  parameters: { name: string; in: 'query' | 'header' | 'path'; required?: boolean }[]
  /** The media types of the body; none where there is no body. */
  bodyTypes: string[]
  /** The statuses of its answers. */
  statuses: number[]
}

interface WrittenOperation {
  operationId?: string
  parameters?: DescribedOperation['parameters']
  requestBody?: { content: Record<string, unknown> }
  responses: Record<string, unknown>
}

/** The operations of the OpenAPI document by name, `GET /path`. */
export function describedOperations(app: FastifyInstance): Map<string, DescribedOperation> {
  const paths = (app.swagger().paths ?? {}) as unknown as Record<string, Record<string, WrittenOperation>>
  return new Map(
    Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, written]): [string, DescribedOperation] => [
        `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`,
        {
          operationId: written.operationId ?? '',
          parameters: written.parameters ?? [],
          bodyTypes: Object.keys(written.requestBody?.content ?? {}),
          statuses: Object.keys(written.responses).map(Number),
        },
      ]),
    ),
  )
}

/** Whether a route answers HEAD where one of these operations answers GET. */
export const isHeadOf = (name: string, operations: Readonly<Record<string, unknown>>): boolean =>
  name.startsWith('HEAD ') && name.replace('HEAD', 'GET') in operations

/** Every route that the router knows by name, `GET /path`, also those that the document does not show. */
export function routedOperations(app: FastifyInstance): string[] {
  const above: string[] = []
  return app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap(line => {
      const [, indent, segment, methods] = /^([│ ]*)[├└]── (.*?)(?: \((.+)\))?$/.exec(line) ?? []
      if (indent === undefined || segment === undefined) return []
      const depth = indent.length / 4
      above.splice(depth, above.length, segment)
      return methods?.split(', ').map(method => `${method} ${above.join('')}`) ?? []
    })
}
