import type { JobDefinition } from '../jobs/index.ts'
import { pruneFlows } from './prune-flows.ts'
import { type MailParts, SIGN_IN_MAIL_JOB, sendSignInMail } from './send-sign-in-mail.ts'
import { isLanguage } from './texts/choose-language.ts'

/** Sends the mails of sign-ins, and keeps the tables of flows and mails small. */
export function signInJobs(parts: MailParts): JobDefinition[] {
  return [
    {
      name: SIGN_IN_MAIL_JOB,
      queue: 'high',
      // Attempts until the mail would come too late: after 3, 9, 21, 45, 93, 189, 381 seconds.
      retryLimit: 7,
      retryDelayS: 3,
      expireInS: 60,
      run: async ({ tenant_id: tenantId, mail_id: mailId, language }) => {
        await sendSignInMail(parts, {
          tenantId: String(tenantId),
          mailId: String(mailId),
          language: isLanguage(language) ? language : 'en',
        })
      },
    },
    {
      name: 'prune-sign-ins',
      queue: 'bulk',
      schedule: { everyS: 3_600, offsetS: 1_200 },
      run: async (_payload, { signal }) => {
        await pruneFlows(parts.db, new Date(parts.nowMs()), signal)
      },
    },
  ]
}
