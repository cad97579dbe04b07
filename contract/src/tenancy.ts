import { Type } from 'typebox'

/** The media type of resource routes, without parameters (JSON:API 1.1, 5). */
export const RESOURCE_MEDIA_TYPE = 'application/vnd.api+json'

/** The attributes of a tenant, each selectable by `fields[tenants]` (interface 2.1). */
export const tenantAttributes = ['name', 'slug', 'domain', 'created_at'] as const

export type TenantAttribute = (typeof tenantAttributes)[number]

/** A tenant as a JSON:API resource (interface 2.1). */
export const TenantResource = Type.Object(
  {
    id: Type.String({ description: 'A UUID.' }),
    type: Type.Literal('tenants'),
    attributes: Type.Object({
      name: Type.Optional(Type.String()),
      slug: Type.Optional(Type.String()),
      domain: Type.Optional(Type.String({ description: 'The canonical domain, without a port.' })),
      created_at: Type.Optional(
        Type.String({ description: 'ISO 8601 with milliseconds and an offset of +00:00.' }),
      ),
    }),
  },
  { $id: 'Tenant' },
)
export type TenantResource = Type.Static<typeof TenantResource>

/** Every tenant of the platform: the answer of tenant.index (interface 4.2). */
export const TenantList = Type.Object(
  { data: Type.Array(TenantResource) },
  {
    $id: 'TenantList',
    examples: [
      {
        data: [
          {
            id: '0197c2d4-5e00-7a31-9c55-1f2e3d4c5b6a',
            type: 'tenants',
            attributes: {
              name: 'Acme Daily',
              slug: 'acme',
              domain: 'members.acme.example',
              created_at: '2026-07-01T09:30:00.000+00:00',
            },
          },
        ],
      },
    ],
  },
)
export type TenantList = Type.Static<typeof TenantList>
