import { doctorOperations } from './doctor-operations.ts'
import { eventOperations } from './event-operations.ts'
import type { ExpectedOperation } from './expected-operation.ts'
import { memberOperations } from './member-operations.ts'
import { oauthOperations } from './oauth-operations.ts'
import { platformOperations } from './platform-operations.ts'
import { scriptOperations } from './script-operations.ts'
import { socialOperations } from './social-operations.ts'

export { exampleEvent } from './event-operations.ts'
export type { ExpectedOperation } from './expected-operation.ts'
export { liveSession } from './member-operations.ts'
export { changingClientId, contractClient, contractOrigin } from './oauth-operations.ts'
export { liveProviders } from './social-operations.ts'

/** Every operation, by name. A route that is not here fails the contract tests. */
export const operations: Record<string, ExpectedOperation> = {
  ...platformOperations,
  ...oauthOperations,
  ...doctorOperations,
  ...eventOperations,
  ...memberOperations,
  ...scriptOperations,
  ...socialOperations,
}

/** Pages and forms that need what a browser carries from one to the next: no single request of theirs succeeds, so the
 *  tests of their own room ask of them what the contract tests ask of operations. By the folder of those tests. */
export const pages: Record<string, readonly string[]> = {
  'server/src/doctor': ['GET /silent-sign-in/check'],
  'server/src/oauth': [
    'GET /oauth/authorize',
    'POST /oauth/authorize',
    'GET /oauth/logout',
    'POST /oauth/logout',
    'POST /oauth/logout/confirm',
  ],
  'server/src/sign-in': [
    'GET /account',
    'POST /account/name',
    'POST /account/sessions/end',
    'POST /account/sign-out',
    'POST /account/social/link',
    'POST /account/social/unlink',
    'GET /dev/mailbox',
    'GET /dev/mailbox.json',
    'GET /sign-in/:flow',
    'POST /sign-in/:flow',
    'GET /sign-in/:flow/again',
    'POST /sign-in/:flow/code',
    'POST /sign-in/:flow/continue',
    'GET /sign-in/:flow/mail',
    'POST /sign-in/:flow/social',
    'GET /sign-in/social/:provider/callback',
    'POST /sign-in/social/:provider/callback',
    'POST /sign-in/social/:provider/return',
    'GET /sign-in/link/:token',
    'POST /sign-in/link/:token',
    'GET /signed-out',
  ],
}

/** The names of the operations that a rule holds for. */
export function operationsWhere(holds: (operation: ExpectedOperation) => boolean): string[] {
  return Object.entries(operations).flatMap(([name, operation]) => (holds(operation) ? [name] : []))
}

/** The expected operation of a name. */
export function operationOf(name: string): ExpectedOperation {
  const operation = operations[name]
  if (!operation) throw new Error(`No operation is called ${name}.`)
  return operation
}

/** Method and path of an operation's name, with the parts of the path filled in; others than those of its good request
 *  where told. */
export function addressOf(
  name: string,
  params = operations[name]?.params ?? {},
): { method: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'OPTIONS'; path: string } {
  const [method = '', path = ''] = name.split(' ', 2)
  const filled = path.replace(/:(\w+)/g, (whole, part: string) => params[part] ?? whole)
  return { method: method as 'GET', path: filled }
}

/** The body of an operation's good request, and the header that says what it is. */
export function bodyOf(name: string): {
  payload?: Record<string, unknown> | string
  headers: Record<string, string>
} {
  const { payload, form } = operationOf(name)
  if (payload) return { payload, headers: {} }
  if (!form) return { headers: {} }
  return {
    payload: new URLSearchParams(form).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  }
}
