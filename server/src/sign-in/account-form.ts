import type { BrowserSession } from '../members/index.ts'
import type { SignInParts } from './sign-in-parts.ts'

const formPurpose = (tenantId: string): string => `account form of ${tenantId}`

/** Proves that a form was on the account page of this session: another site cannot know it. */
export const formToken = ({ secrets }: SignInParts, tenantId: string, sessionId: string): string =>
  secrets.hmac(formPurpose(tenantId), sessionId).toString('base64url')

/** Whether a form was on the account page of this session. */
export function isOwnForm(
  { secrets }: SignInParts,
  tenantId: string,
  session: BrowserSession,
  token: string | null,
): boolean {
  const mac = Buffer.from(token ?? '', 'base64url')
  return secrets.verifyHmac(formPurpose(tenantId), session.sessionId, mac)
}
