import type { Check } from './check.ts'

/** prompt=none of a client that requires PKCE has a challenge (interface 4.9). Whether it has, nobody knows before it is
 *  sent; the probe needs none (interface 4.10). */
export const checkPkce: Check = {
  name: 'pkce',
  examine: ({ client }) =>
    client && {
      good: `Client ${client.clientId} may send prompt=none without a code_challenge.`,
      findings: client.pkceRequired
        ? [
            {
              code: 'pkce_without_challenge',
              severity: 'warns',
              affects: ['prompt_none'],
              problem: `Client ${client.clientId} requires PKCE: prompt=none without a code_challenge is answered with invalid_request. The probe needs none.`,
              change: 'Send code_challenge and code_challenge_method=S256 with prompt=none.',
            },
          ]
        : [],
    },
}
