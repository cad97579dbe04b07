// The SDK is loaded asynchronously: until it is there, what is called waits in a list.
window.usher = window.usher || {
  q: [],
  track(...given) {
    this.q.push([Date.now(), 'track', ...given])
  },
  consent(...given) {
    this.q.push([Date.now(), 'consent', ...given])
  },
  flush() {},
}
// What sign-in is asked before it is there is answered when it is, or when it cannot be loaded.
if (!window.usher.member) {
  const waiting = []
  window.usher.p = waiting
  // The answers to what the file did not take: it is blocked, or the network is away.
  const otherwise = {
    silentSignIn: { status: 'unknown', reason: 'failed' },
    signIn: { status: 'refused', reason: 'failed' },
    completeSignIn: { status: 'none' },
    member: undefined,
    signOut: false,
  }
  const giveUp = () => {
    for (const [call, , answer] of waiting.splice(0)) answer(otherwise[call])
  }
  let isOver = false
  const look = ({ target }) => {
    if (!/sdk-sign-in/.test(target.src)) return
    isOver = true
    giveUp()
  }
  for (const end of ['load', 'error']) document.addEventListener(end, look, true)
  for (const call in otherwise)
    window.usher[call] = (...given) =>
      new Promise(answer => {
        window.usher.p.push([call, given, answer])
        if (isOver) giveUp()
      })
}

// On a phone the sections scroll sideways: the current one is brought into sight.
const sections = document.querySelector('.sections ul')
const current = sections.querySelector('[aria-current=page]')
if (current) sections.scrollLeft = current.offsetLeft - (sections.clientWidth - current.offsetWidth) / 2

// Who reads: the site's own session knows, or the browser is asked whether a member is signed in.
const reader = document.querySelector('[data-reader]')
if (reader) {
  const told = reader.querySelector('[data-told]')
  const show = member => {
    reader.querySelector('[data-name]').textContent = member?.name ?? ''
    reader.querySelector('[data-member]').hidden = !member
    reader.querySelector('[data-stranger]').hidden = Boolean(member)
    if (member) told.textContent = ''
  }
  const session = async (method, body) => {
    const response = await fetch('/session', {
      method,
      ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
    return response.ok ? (await response.json()).member : null
  }
  const greet = async () => {
    let member = await session('GET')
    if (!member) {
      const { code } = await window.usher.silentSignIn({ clientId: reader.dataset.reader })
      if (code) member = await session('POST', { code })
    }
    show(member)
  }
  // One after the other: a code is good once.
  let last = Promise.resolve()
  const greetNext = () => {
    last = last.then(greet).catch(() => {})
  }
  greetNext()
  window.addEventListener('usher:member', greetNext)
  // Where this page sees no cookie, what happened in other windows is found out when the reader is back.
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') greetNext()
  })
  reader.querySelector('[data-sign-out]').addEventListener('click', async () => {
    await session('DELETE').catch(() => {})
    show(null)
    told.textContent = 'You are signed out.'
    await window.usher.signOut()
    greetNext()
  })
}

// Stories: saved, shared, read to their end.
const story = document.querySelector('[data-story]')
if (story) {
  const slug = story.dataset.story
  const told = story.querySelector('[data-told]')

  const save = story.querySelector('[data-save]')
  const showSaved = saved => {
    save.setAttribute('aria-pressed', String(saved))
    save.textContent = saved ? 'Saved' : 'Save'
  }
  showSaved(localStorage.getItem(`saved:${slug}`) !== null)
  save.addEventListener('click', () => {
    const saved = save.getAttribute('aria-pressed') !== 'true'
    if (saved) localStorage.setItem(`saved:${slug}`, '1')
    else localStorage.removeItem(`saved:${slug}`)
    showSaved(saved)
    window.usher.track(saved ? 'article_saved' : 'article_unsaved', { slug })
  })

  story.querySelector('[data-share]').addEventListener('click', async () => {
    window.usher.track('article_shared', { slug, via: 'link' })
    try {
      await navigator.clipboard.writeText(location.href)
      told.textContent = 'Link copied'
    } catch {
      told.textContent = 'Copy it from the address bar'
    }
  })

  const atEnd = new IntersectionObserver(entries => {
    if (!entries.some(entry => entry.isIntersecting)) return
    atEnd.disconnect()
    window.usher.track('article_read', { slug })
  })
  atEnd.observe(story.querySelector('[data-story-end]'))
}

// The morning letter.
for (const form of document.querySelectorAll('[data-newsletter]')) {
  form.addEventListener('submit', event => {
    event.preventDefault()
    // The address itself is nobody's business but the newsletter's.
    window.usher.track('newsletter_signed_up', { edition: 'morning' })
    form.querySelector('[role=status]').textContent = 'Thank you. See you at six.'
    form.reset()
  })
}

// The sport section moves between its views without loading a page. Its links work without this, too.
async function showInPage(url) {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`The answer was ${response.status}.`)
  const next = new DOMParser().parseFromString(await response.text(), 'text/html')
  const content = next.querySelector('[data-in-page-content]')
  return () => {
    document.querySelector('[data-in-page-content]').replaceWith(content)
    document.title = next.title
    content.querySelector('[aria-current=page]').focus()
  }
}

document.addEventListener('click', async event => {
  const link = event.target.closest('a[data-in-page]')
  const wantsNewTab = event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0
  if (!link || wantsNewTab) return
  event.preventDefault()
  if (link.href === location.href) return
  try {
    const show = await showInPage(link.href)
    history.pushState(null, '', link.href)
    show()
  } catch {
    location.assign(link.href)
  }
})

if (document.querySelector('[data-in-page-content]')) {
  window.addEventListener('popstate', async () => {
    try {
      const show = await showInPage(location.href)
      show()
    } catch {
      location.reload()
    }
  })
}
