import { Type } from 'typebox'

/** What can be wrong with a silent sign-in. A code keeps its meaning; more may come. */
export const silentSignInCodes = [
  'tenant_suspended',
  'client_unknown',
  'client_disabled',
  'client_without_origins',
  'origin_not_registered',
  'origin_form_differs',
  'origin_scheme_differs',
  'origin_port_differs',
  'origin_host_differs',
  'origin_of_other_client',
  'site_not_an_origin',
  'site_is_alias',
  'site_is_tenant_domain',
  'host_is_alias',
  'host_origin_differs',
  'host_not_of_tenant',
  'site_without_tls',
  'tenant_without_tls',
  'without_tls',
  'not_same_site',
  'cookie_domain_blank',
  'cookie_domain_not_covering',
  'pkce_without_challenge',
] as const
export type SilentSignInCode = (typeof silentSignInCodes)[number]

/** What is looked at, in this order. */
export const silentSignInChecks = [
  'tenant',
  'client',
  'site',
  'host',
  'tls',
  'same_site',
  'cookie_domain',
  'origin',
  'pkce',
] as const
export type SilentSignInCheck = (typeof silentSignInChecks)[number]

/** The two ways of silent sign-in (interface 4.8 and 4.9). */
const ways = ['probe', 'prompt_none'] as const
export type SilentSignInWay = (typeof ways)[number]

const check = Type.Enum([...silentSignInChecks], { description: 'What was looked at.' })

/** What is wrong, and what to change. */
const Finding = Type.Object({
  code: Type.Enum([...silentSignInCodes], { description: 'For programs; more codes may come.' }),
  check,
  severity: Type.Enum(['blocks', 'warns'], { description: 'Whether it does not work because of this.' }),
  affects: Type.Array(Type.Enum([...ways]), {
    description: 'Which way it stands in: the session probe, or `prompt=none` on the authorize endpoint.',
  }),
  problem: Type.String({ description: 'What is wrong.' }),
  change: Type.String({ description: 'What to change.' }),
})

/** Whether silent sign-in can work on a site: the answer of silentSignIn.show. */
export const SilentSignInDocument = Type.Object(
  {
    data: Type.Object({
      id: Type.String({ description: 'The client_id.' }),
      type: Type.Literal('silent-sign-in-reports'),
      attributes: Type.Object({
        client_id: Type.String(),
        site: Type.String({ description: 'The origin of the site, as browsers send it.' }),
        tenant_origin: Type.String({ description: 'Where the site has to ask.' }),
        works: Type.Boolean({ description: 'Whether the session probe can work there.' }),
        prompt_none_works: Type.Boolean({
          description:
            'Whether `prompt=none` can, as a redirect of the whole window; also from another site.',
        }),
        checks: Type.Array(
          Type.Object({
            name: check,
            passed: Type.Boolean({ description: 'False when a finding of it blocks.' }),
            text: Type.Union([Type.String(), Type.Null()], {
              description: 'What was found to be right; null where findings say what is not.',
            }),
          }),
        ),
        findings: Type.Array(Finding, { description: 'Everything that was found, not only the first.' }),
      }),
      links: Type.Object({
        live_check: Type.String({
          description:
            'A page on which a browser shows what it really does. Good for an hour; whoever has it sees this report.',
        }),
      }),
    }),
  },
  {
    $id: 'SilentSignInReport',
    description: 'What silent sign-in needs there, and what is missing.',
    examples: [
      {
        data: {
          id: 'partner',
          type: 'silent-sign-in-reports',
          attributes: {
            client_id: 'partner',
            site: 'https://news.acme.example',
            tenant_origin: 'https://members.acme.example',
            works: false,
            prompt_none_works: true,
            checks: [
              {
                name: 'tenant',
                passed: true,
                text: 'The address of Acme Daily is https://members.acme.example, by USHER_PUBLIC_URL (USHER_PORT where that is not set).',
              },
              { name: 'origin', passed: false, text: null },
            ],
            findings: [
              {
                code: 'origin_scheme_differs',
                check: 'origin',
                severity: 'blocks',
                affects: ['probe'],
                problem:
                  'https://news.acme.example is no allowed origin of client partner. http://news.acme.example is registered, the scheme differs.',
                change:
                  'Add https://news.acme.example to the allowed origins of client partner (allowed_origins in the platform file).',
              },
            ],
          },
          links: { live_check: 'https://members.acme.example/silent-sign-in/check?ticket=AXhB…' },
        },
      },
    ],
  },
)
export type SilentSignInDocument = Type.Static<typeof SilentSignInDocument>
