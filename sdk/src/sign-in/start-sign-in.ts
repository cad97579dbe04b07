import { markOf, readMemberToken } from '../member-token.ts'
import { answerCheck } from './answer-check.ts'
import type { SignIn, SignInSettings } from './api.ts'
import { beginSignIn } from './begin-sign-in.ts'
import { completeSignIn } from './complete-sign-in.ts'
import { createFindMember, endSession } from './member-api.ts'
import { watchMember } from './member-changes.ts'
import { createNotes } from './notes.ts'
import type { Page } from './page.ts'
import { settle } from './settle.ts'
import { createSilentSignIn } from './silent-sign-in.ts'

/** Connects the parts to the browser. Throws nothing later. */
export function startSignIn({ origin: address, cookieName, cookieDomain }: SignInSettings): SignIn {
  const { origin } = new URL(address)
  const prefix = `usher:${origin}:`
  const token = () => readMemberToken(document.cookie, cookieName)
  const page: Page = {
    origin,
    notes: createNotes(() => localStorage, prefix, Date.now),
    tabNotes: createNotes(() => sessionStorage, prefix, Date.now),
    token,
    mark: () => markOf(token()),
  }
  const findMember = createFindMember(page)
  const silently = createSilentSignIn(page)
  const announce = watchMember(window, page, `${prefix}changed`)
  void settle(() => answerCheck(page, location.hash, window.opener), undefined)()

  return {
    silentSignIn: settle(
      async asked => {
        if (location.origin !== origin) return silently(asked)
        // A same-origin GET has no Origin, and without one the probe answers nobody.
        const member = await findMember()
        if (member) return { status: 'authenticated', member }
        return member === null ? { status: 'unauthenticated' } : { status: 'unknown', reason: 'failed' }
      },
      { status: 'unknown', reason: 'failed' },
    ),

    signIn: settle(asked => beginSignIn(page, window, asked), { status: 'refused', reason: 'failed' }),

    completeSignIn: settle(
      () => {
        const completed = completeSignIn(page, window)
        if (completed.status === 'authenticated') announce(true)
        return completed
      },
      { status: 'none' },
    ),

    member: settle(findMember, undefined),

    signOut: settle(async () => {
      const isOver = await endSession(page)
      // Of this host, and of the Cookie Domain; a browser keeps both side by side.
      for (const domain of ['', `; Domain=${cookieDomain}`]) {
        // biome-ignore lint/suspicious/noDocumentCookie: not every browser has the Cookie Store API.
        document.cookie = `${cookieName}=; Path=/; Max-Age=0${domain}`
      }
      announce(false)
      return isOver
    }, false),
  }
}
