import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { en } from './en.ts'

test('docs/signing-in.md quotes what members read', async () => {
  const page = await readFile(new URL('../../../../docs/signing-in.md', import.meta.url), 'utf8')
  const [noCode = ''] = /^[^.]+\./.exec(en.mailSent.noCode) ?? []
  for (const text of [en.link.deadTitle, noCode, en.problem.expiredTitle]) expect(page).toContain(`"${text}"`)
  expect(page).toContain(`*${en.problem.restart}*`)
})

test('docs/social-login.md quotes what members read', async () => {
  const page = await readFile(new URL('../../../../docs/social-login.md', import.meta.url), 'utf8')
  const { denied, away, faulty, refused, unverified, taken } = en.social
  for (const text of [denied, away, faulty, refused, unverified, taken].map(say => say('Google'))) {
    const [sentence = ''] = /^[^.]+\./.exec(text) ?? []
    expect(page).toContain(`"${sentence}"`)
  }
  expect(page).toContain(`"${en.problem.closed}"`)
})
