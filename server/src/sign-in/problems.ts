import type { BrowserFacts, PageAnswer } from '../oauth/index.ts'
import { frameFor, pageAnswer } from './answers.ts'
import { type Flow, flowPaths } from './flow.ts'
import { problemPage } from './pages/problem-page.ts'

/** 400, for a request of a client that may not be redirected (interface 4.6). `detail` is for its developer. */
export function showClientError(browser: BrowserFacts, detail: string): PageAnswer {
  const frame = frameFor(browser)
  const { title, client, clientAdvice } = frame.texts.problem
  const page = problemPage(frame, { title, text: client, advice: clientAdvice, developerDetail: detail })
  return pageAnswer(page, { status: 400 })
}

/** 410 for a flow that is over, with the way to begin it anew; 404 for one that this browser does not have. */
export function showExpired(browser: BrowserFacts, flow?: Flow): PageAnswer {
  const frame = frameFor(browser)
  const { expiredTitle: title, expired: text, startOver, restart } = frame.texts.problem
  const page = problemPage(frame, {
    title,
    text,
    ...(flow ? { link: { href: flowPaths(flow.id).again, text: restart } } : { advice: startOver }),
  })
  return pageAnswer(page, { status: flow ? 410 : 404 })
}

/** 429: five mails went to the address already. */
export function showTooManyMails(browser: BrowserFacts, flow: Flow): PageAnswer {
  const frame = frameFor(browser)
  const { tooManyMailsTitle: title, tooManyMails: text, backToMail } = frame.texts.problem
  const page = problemPage(frame, { title, text, link: { href: flowPaths(flow.id).mail, text: backToMail } })
  return pageAnswer(page, { status: 429, retryAfterS: 900 })
}

/** 429: too much came from one network. */
export function showTooManyAttempts(browser: BrowserFacts, retryAfterS: number): PageAnswer {
  const frame = frameFor(browser)
  const { tooManyTitle: title, tooMany: text } = frame.texts.problem
  return pageAnswer(problemPage(frame, { title, text }), { status: 429, retryAfterS })
}

const plain = { foreign: 403, closed: 403, unavailable: 503, notFound: 404 } as const

/** A refusal that needs no more than its words. */
export function showProblem(browser: BrowserFacts, what: keyof typeof plain): PageAnswer {
  const frame = frameFor(browser)
  const { problem } = frame.texts
  const titles = {
    unavailable: problem.unavailableTitle,
    notFound: problem.notFoundTitle,
    foreign: problem.title,
    closed: problem.title,
  }
  const page = problemPage(frame, { title: titles[what], text: problem[what] })
  return pageAnswer(page, { status: plain[what], ...(what === 'unavailable' && { retryAfterS: 1 }) })
}
