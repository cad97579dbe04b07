import type { Check } from './asked.ts'
import { checkCodeChallenge } from './check-code-challenge.ts'
import { checkMaxAge } from './check-max-age.ts'
import { checkPrompt } from './check-prompt.ts'
import { checkRepetition } from './check-repetition.ts'
import { checkRequestObject } from './check-request-object.ts'
import { checkResponseMode } from './check-response-mode.ts'
import { checkResponseType } from './check-response-type.ts'
import { checkText } from './check-text.ts'

/** What is checked of a request whose client and redirect URI are known, in this order. The first fault is told. */
export const checks: readonly Check[] = [
  checkRepetition,
  checkText,
  checkRequestObject,
  checkResponseType,
  checkResponseMode,
  checkCodeChallenge,
  checkPrompt,
  checkMaxAge,
]
