import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { mailboxPage } from '../mailbox-page.ts'
import { signInMail } from '../sign-in-mail.ts'
import { textsIn } from '../texts/choose-language.ts'
import { accountPage } from './account-page.ts'
import { continuePage } from './continue-page.ts'
import type { Page, PageFrame } from './layout.ts'
import { confirmLinkPage, deadLinkPage, linkCodePage, linkElsewherePage } from './link-pages.ts'
import { mailSentPage } from './mail-sent-page.ts'
import { problemPage } from './problem-page.ts'
import { returnPage } from './return-page.ts'
import { signInPage } from './sign-in-page.ts'
import { signedOutPage } from './signed-out-page.ts'

/** Breaks out of text, of an attribute in either quotes, and of a style or script. */
const EVIL = `"'></style></script></textarea></title><script>alert(1)</script><img src=x onerror=alert(1)>&amp;!`
const methods = ['magic_link', 'one_time_code'] as const

const ways = { start: '/x', social: '/x', clientName: null, methods, providers: [], email: '' }

const frame = (text: string, logoUrl: string | null): PageFrame => ({
  tenant: { name: text, branding: { color: '#8b1e3f', logoUrl, languages: [] } },
  language: 'en',
  texts: textsIn('en'),
})

/** Every page, with a text in all of its places that somebody else fills. */
function everyPage(text: string, logoUrl: string | null): Record<string, Page> {
  const given = frame(text, logoUrl)
  const now = new Date('2026-05-01T12:00:00Z')
  const member = { id: text, email: text, name: text, createdAt: now }
  const session = {
    id: text,
    clientName: text,
    userAgent: text,
    address: text,
    createdAt: now,
    lastSeenAt: now,
    isCurrent: false,
  }
  return {
    signIn: signInPage(given, {
      start: text,
      social: text,
      clientName: text,
      methods,
      providers: [{ id: text, name: text }],
      email: text,
      fault: 'invalid',
    }),
    signInFaulty: signInPage(given, { ...ways, fault: { text } }),
    mailSent: mailSentPage(given, {
      email: text,
      methods,
      codeAction: text,
      againAction: text,
      backHref: text,
      fault: 'wrong',
    }),
    continueAs: continuePage(given, { action: text, clientName: text, member }),
    continueAsNameless: continuePage(given, {
      action: text,
      clientName: text,
      member: { ...member, name: null },
    }),
    confirmLink: confirmLinkPage(given, { action: text, email: text, clientName: text }),
    linkElsewhere: linkElsewherePage(given, { action: text }),
    linkCode: linkCodePage(given, { code: text }),
    deadLink: deadLinkPage(given),
    problem: problemPage(given, {
      title: text,
      text,
      advice: text,
      link: { href: text, text },
      developerDetail: text,
    }),
    signedOut: signedOutPage(given, { againHref: text }),
    account: accountPage(given, {
      member,
      sessions: [session, { ...session, isCurrent: true, clientName: null }],
      now,
      formToken: text,
      accounts: [
        { id: text, providerName: text, label: text, canUnlink: true },
        { id: text, providerName: text, label: text, canUnlink: false },
      ],
      linkable: [{ id: text, name: text }],
      notice: 'ended',
      fault: text,
    }),
    mailbox: {
      html: mailboxPage([
        {
          id: text,
          from: text,
          to: text,
          language: text,
          subject: text,
          text: `${text}\nhttps://a.example/${text.replaceAll(' ', '')}`,
          html: text,
          receivedAt: now,
        },
      ]),
      policy: '',
    },
    mail: {
      html: signInMail({ tenant: given.tenant, language: 'en', methods, link: text, code: text }).html,
      policy: '',
    },
  }
}

/** The tags of a page and its attributes, without the texts between and in them. */
const skeleton = (html: string): string =>
  [...html.replaceAll(/<style>.*?<\/style>/gs, '<style>').matchAll(/<\/?[a-z!][^>]*>/gi)]
    .map(([tag]) => tag.replaceAll(/"[^"]*"/g, '""'))
    .join('')

describe('script in every string that a page shows (threats, "API")', () => {
  const logoUrl = `https://acme.example/logo.svg?"onerror="alert(1)`
  test.for(Object.keys(everyPage('', null)))('stays text on the page %s', name => {
    for (const logo of [null, logoUrl]) {
      const evil = everyPage(EVIL, logo)[name]?.html ?? ''
      expect(skeleton(evil)).toBe(
        skeleton(everyPage('x', logo && 'https://acme.example/logo.svg')[name]?.html ?? ''),
      )
      expect(evil).not.toMatch(/<script|<img src=x|\son\w+=/)
      expect(evil).toContain('&#60;script&#62;alert(1)')
    }
  })

  test('cannot get into the policy of a page either', () => {
    const { policy } = signInPage(frame('x', `https://acme.example/a;script-src*'unsafe-inline'`), {
      ...ways,
    })
    expect(policy).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/]+='; img-src https:\/\/acme\.example; base-uri 'none'; frame-ancestors 'self'$/,
    )
  })
})

describe('the page that posts on what came in a form from elsewhere', () => {
  const page = (text: string) =>
    returnPage(frame(text, null), { action: '/x', providerName: text, fields: [['code', text]] })

  test('keeps script in what came text', () => {
    expect(skeleton(page(EVIL).html)).toBe(skeleton(page('x').html))
    expect(page(EVIL).html.match(/<script/g)).toHaveLength(1)
  })

  test('runs its one script, and no other', () => {
    const { html, policy } = page('x')
    const script = /<script>(.*)<\/script>/s.exec(html)?.[1] ?? ''
    const source = `'sha256-${createHash('sha256').update(script).digest('base64')}'`
    expect(policy.split('; ').filter(rule => rule.startsWith('script-src'))).toEqual([`script-src ${source}`])
    expect(html).toContain('<button autofocus>')
  })
})

describe('every page', () => {
  test.for(['en', 'de', 'fr', 'es'] as const)(
    'in %s says its language and has one main heading',
    language => {
      for (const [name, { html }] of Object.entries(everyPage('x', null))) {
        if (name === 'mailbox' || name === 'mail') continue
        expect([name, html.match(/<h1[ >]/g)?.length]).toEqual([name, 1])
      }
      const page = signInPage({ ...frame('Acme', null), language, texts: textsIn(language) }, ways)
      expect(page.html).toContain(`<html lang="${language}">`)
    },
  )

  test('takes nothing from elsewhere and runs nothing', () => {
    for (const [name, { html }] of Object.entries(everyPage('x', null))) {
      // No icon, without a request for one.
      const asking = html.replace('<link rel="icon" href="data:,">', '')
      expect([name, /<script|<link|@import|url\(|http-equiv/i.test(asking)]).toEqual([name, false])
    }
  })

  test('has the hash of its own style in its policy, so that the style holds', () => {
    for (const color of ['#8b1e3f', '#ffffff', null]) {
      const given = {
        ...frame('x', null),
        tenant: { name: 'x', branding: { color, logoUrl: null, languages: [] } },
      }
      const { html, policy } = deadLinkPage(given)
      const style = /<style>(.*)<\/style>/s.exec(html)?.[1] ?? ''
      expect(policy).toContain(`'sha256-${createHash('sha256').update(style).digest('base64')}'`)
    }
  })
})
