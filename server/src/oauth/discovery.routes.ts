import { DiscoveryDocument, Jwks } from '@usher/contract'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { tenantOrigin } from '../tenancy/index.ts'
import { describeIssuer } from './describe-issuer.ts'
import type { OAuthParts } from './open-oauth.ts'

/** Public, the same for everyone, and for scripts of any site; five minutes old at most (decisions, "OAuth"). */
const publish = (reply: FastifyReply): FastifyReply =>
  reply.header('cache-control', 'public, max-age=300').header('access-control-allow-origin', '*')

const example = describeIssuer('https://members.acme.example')

/** Discovery and keys (interface 4.11; RFC 8414 3). */
export function discoveryRoutes({ members, publicUrl }: Pick<OAuthParts, 'members' | 'publicUrl'>) {
  const documents = [
    ['/.well-known/openid-configuration', 'oauth.discovery', 'Read how to sign members in'],
    [
      '/.well-known/oauth-authorization-server',
      'oauth.metadata',
      'Read how to sign members in, where RFC 8414 has it',
    ],
  ] as const

  return async (app: FastifyInstance): Promise<void> => {
    for (const [path, operationId, summary] of documents)
      app.get(
        path,
        {
          config: { site: 'tenant' },
          exposeHeadRoute: true,
          schema: {
            operationId,
            tags: ['OAuth'],
            summary,
            response: {
              200: {
                description: 'How to sign members of this tenant in.',
                content: { 'application/json': { schema: DiscoveryDocument, example } },
              },
            },
          },
        },
        async (request, reply) =>
          publish(reply).send(describeIssuer(tenantOrigin(publicUrl, request.tenant.domain))),
      )

    app.get(
      '/.well-known/jwks.json',
      {
        config: { site: 'tenant' },
        exposeHeadRoute: true,
        schema: {
          operationId: 'oauth.keys',
          tags: ['OAuth'],
          summary: "Read the keys that verify the tenant's tokens",
          response: { 200: Jwks },
        },
      },
      async (request, reply) => {
        const keys = await members.publicKeys(request.tenant.id)
        return publish(reply).send({ keys })
      },
    )
  }
}
