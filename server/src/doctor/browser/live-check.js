// The live part of the silent sign-in check. All texts stand in the page: this chooses one of them.

/** How long the site has to answer, in milliseconds. */
const PATIENCE_MS = 15_000
/** After which a page that has the file would have answered. */
const SLOW_MS = 4_000
const LOOK_EVERY_MS = 250
const OUTCOMES = ['authenticated', 'unauthenticated', 'limited', 'failed']

const live = document.querySelector('#live')
const answer = document.querySelector('#answer')
const button = live.querySelector('button')
const { client, origin, page } = live.dataset

/** The window of the check that runs. */
let opened = null
let looking

function show(outcome) {
  const template = live.querySelector(`template[data-outcome="${outcome}"]`)
  answer.replaceChildren(template.content.cloneNode(true))
}

function end(outcome) {
  clearInterval(looking)
  opened = null
  show(outcome)
}

window.addEventListener('message', ({ data, origin: from, source }) => {
  // Only the window that was opened here, while it is at the site.
  if (opened === null || source !== opened || from !== origin) return
  if (data?.type !== 'usher-check' || data.clientId !== client || !OUTCOMES.includes(data.outcome)) return
  const told = data.outcome.endsWith('authenticated')
  end(told && data.hasCookie !== true ? `${data.outcome}_without_cookie` : data.outcome)
})

button.addEventListener('click', () => {
  clearInterval(looking)
  opened = window.open(`${page}#usher-check=${encodeURIComponent(client)}`, '_blank')
  if (opened === null) return end('pop_up_blocked')
  show('waiting')
  const sinceMs = performance.now()
  let isSlow = false
  looking = setInterval(() => {
    // One that cuts itself off by Cross-Origin-Opener-Policy is closed to us too.
    if (opened.closed) return end('no_answer')
    const waitedMs = performance.now() - sinceMs
    if (waitedMs >= SLOW_MS && !isSlow) {
      isSlow = true
      show('slow')
    }
    if (waitedMs < PATIENCE_MS) return
    // An answer that comes later still counts.
    clearInterval(looking)
    show('no_answer')
  }, LOOK_EVERY_MS)
})
button.hidden = false
