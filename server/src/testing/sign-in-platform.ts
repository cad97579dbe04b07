import { setTimeout as sleep } from 'node:timers/promises'
import type { LightMyRequestResponse } from 'fastify'
import { sql } from 'kysely'
import { expect } from 'vitest'
import { type ArrivedMail, type MailServer, startMailServer } from './mail-server.ts'
import { callback, createOAuthPlatform, hostOf, type OAuthPlatform } from './oauth-platform.ts'
import { actionsOf, openVisitor, type Visitor, wordsOf } from './visitor.ts'
import type { WholePlatformOptions } from './whole-platform.ts'

export interface Letter {
  mail: ArrivedMail
  /** Path of the link, and the code; "" where the mail has none. */
  link: string
  code: string
}

export interface SignInPlatform extends OAuthPlatform {
  mailServer: MailServer
  /** A browser of its own, at a tenant's domain. */
  visit(options?: { slug?: 'acme' | 'globe'; headers?: Record<string, string> }): Visitor
  /** Begins a flow at authorize, and answers the address of its form. */
  begin(visitor: Visitor, parameters?: Record<string, string>): Promise<string>
  /** Types an address into a begun flow, and answers the letter that comes. */
  askForMail(visitor: Visitor, flow: string, email: string): Promise<Letter>
  /** The letter that comes to an address after `count` others. */
  letterTo(email: string, count?: number): Promise<Letter>
  /** The signed-in member's address, as the member's API tells it; undefined where nobody is signed in. */
  whoIs(visitor: Visitor): Promise<string | undefined>
  /** All rows of a table, to see that nothing changed. */
  rows(table: 'members' | 'sign_in_mails' | 'sign_in_flows' | 'member_sessions'): Promise<string>
  /** Lets time pass for all flows and mails. */
  passTime(seconds: number): Promise<void>
}

/** The session's cookie at acme, by name and Domain. */
export const sessionCookie = '_SERVICET Domain=acme.example'

/** Headers of every answer of a page or a form. */
export const guards = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'SAMEORIGIN',
  'x-content-type-options': 'nosniff',
}
export const pageGuards = {
  ...guards,
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': expect.stringMatching(
    /^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/]{43}='; base-uri 'none'; frame-ancestors 'self'$/,
  ),
}

/** The client's address and the parameters that a browser brings to it. */
export function arrivedAt(answer: LightMyRequestResponse): Record<string, string> {
  expect(answer.statusCode).toBe(303)
  const { origin, pathname, searchParams } = new URL(String(answer.headers.location))
  return { to: origin + pathname, ...Object.fromEntries(searchParams) }
}

export function readLetter(mail: ArrivedMail): Letter {
  const lines = (mail.text ?? '').split(/\r?\n/)
  const link = lines.find(line => /^https?:\/\//.test(line))
  return {
    mail,
    link: link === undefined ? '' : new URL(link).pathname,
    code: lines.find(line => /^\d{6}$/.test(line)) ?? '',
  }
}

/** An address of its own for a test. */
let count = 0
export const newAddress = (): string => `reader-${process.pid}-${++count}@example.com`

export const authorizePath = (parameters: Record<string, string> = {}): string =>
  `/oauth/authorize?${new URLSearchParams({
    client_id: 'partner',
    redirect_uri: callback,
    response_type: 'code',
    state: 'st&te=1',
    ...parameters,
  })}`

/** The whole platform with clients, with workers, and with a real SMTP server. */
export async function createSignInPlatform(
  env: Record<string, string> = {},
  options: WholePlatformOptions = {},
): Promise<SignInPlatform> {
  const mailServer = await startMailServer()
  const platform = await createOAuthPlatform(
    {
      USHER_SMTP_URL: mailServer.url,
      USHER_MAIL_FROM: 'Usher <hello@usher.example>',
      USHER_ROLE: 'all',
      USHER_TRUST_PROXY: '127.0.0.1',
      ...env,
    },
    options,
  )
  let visits = 0
  const lettersTo = (email: string) => mailServer.mails.filter(({ envelope }) => envelope.to.includes(email))

  const letterTo: SignInPlatform['letterTo'] = async (email, after = 0) => {
    for (let look = 0; look < 1_000; look++) {
      const mail = lettersTo(email)[after]
      if (mail) return readLetter(mail)
      await sleep(20)
    }
    throw new Error(`No mail came to ${email}.`)
  }

  return {
    ...platform,
    mailServer,
    letterTo,
    visit: ({ slug = 'acme', headers = {} } = {}) =>
      openVisitor(platform.app, {
        host: hostOf(slug),
        headers: {
          // Each from a network of its own.
          'x-forwarded-for': `198.51.${100 + Math.floor(visits / 250)}.${1 + (visits++ % 250)}`,
          'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0',
          ...headers,
        },
      }),
    async begin(visitor, parameters) {
      const answer = await visitor.get(authorizePath(parameters))
      const [flow = ''] = actionsOf(answer.body)
      if (answer.statusCode !== 200 || flow === '')
        throw new Error(`No page: ${answer.statusCode} ${wordsOf(answer.body)}`)
      return flow
    },
    async askForMail(visitor, flow, email) {
      const already = lettersTo(email).length
      const answer = await visitor.post(flow, { email })
      if (answer.statusCode !== 303) throw new Error(`No mail: ${answer.statusCode} ${wordsOf(answer.body)}`)
      return letterTo(email, already)
    },
    async whoIs(visitor) {
      const token = visitor.cookies.get(sessionCookie)?.split('=')[1]
      const answer = await platform.request(hostOf(), {
        url: '/api/sdk/member',
        headers: { authorization: `Bearer ${token}` },
      })
      return answer.statusCode === 200 ? answer.json().data.email : undefined
    },
    async rows(table) {
      const all = await sql`select * from ${sql.table(table)} order by tenant_id, id`.execute(
        platform.database.db,
      )
      return JSON.stringify(all.rows)
    },
    async passTime(seconds) {
      const by = `${seconds} seconds`
      await sql`update sign_in_flows set created_at = created_at - ${by}::interval,
        expires_at = expires_at - ${by}::interval`.execute(platform.database.db)
      await sql`update sign_in_mails set created_at = created_at - ${by}::interval,
        expires_at = expires_at - ${by}::interval`.execute(platform.database.db)
    },
    async close() {
      await platform.close()
      await mailServer.close()
    },
  }
}
