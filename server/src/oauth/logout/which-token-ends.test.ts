import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { claimsOf } from '../../testing/logout-partner.ts'
import { secretOf } from '../../testing/oauth-platform.ts'
import { createSignInPlatform, newAddress, type SignInPlatform } from '../../testing/sign-in-platform.ts'
import { actionsOf, hiddenOf, type Visitor } from '../../testing/visitor.ts'

let platform: SignInPlatform
beforeAll(async () => {
  platform = await createSignInPlatform()
})
afterAll(() => platform.close())

/** A browser in which a member is signed in, of whom the partner has tokens. */
interface Situation {
  visitor: Visitor
  idToken: string
  /** Of a session of its own. */
  own: string
  /** Of `prompt=none`: rides the browser's session. */
  riding: string
}

async function begin(): Promise<Situation> {
  const member = await platform.signIn('acme', newAddress())
  const take = async (options: Parameters<SignInPlatform['issue']>[0] = {}) =>
    (await platform.exchange(await platform.issue({ member, scope: 'openid', ...options }))).json()
  const own = await take()
  const riding = await take({ origin: 'prompt_none' })
  const visitor = platform.visit()
  visitor.cookies.set('_SERVICET Domain=acme.example', member.cookie)
  return { visitor, idToken: own.id_token, own: own.access_token, riding: riding.access_token }
}

const revoke = (token: string) =>
  platform.post('/oauth/revoke', { token, client_id: 'partner', client_secret: secretOf('partner') })
const accountForm = async ({ visitor }: Situation) => hiddenOf((await visitor.get('/account')).body, 'form')

/** What happens, as docs/signing-in.md has it, and whether the browser is signed in then, the token that rides its session
 *  is good, and the client's own. */
const ways: [string, (situation: Situation) => Promise<unknown>, [boolean, boolean, boolean]][] = [
  ['you revoke a token that rides', ({ riding }) => revoke(riding), [true, false, true]],
  ['you revoke your own token', ({ own }) => revoke(own), [true, true, false]],
  [
    'you send the browser to `{issuer}/oauth/logout` with your id_token',
    ({ visitor, idToken }) => visitor.get(`/oauth/logout?id_token_hint=${idToken}`),
    [false, false, false],
  ],
  [
    'the same without an id_token',
    async ({ visitor }) => {
      const { body } = await visitor.get('/oauth/logout')
      return visitor.post(actionsOf(body)[0] ?? '', { form: hiddenOf(body, 'form') })
    },
    [false, false, true],
  ],
  [
    'the member signs out on the account page',
    async one => one.visitor.post('/account/sign-out', { form: await accountForm(one) }),
    [false, false, true],
  ],
  [
    "the member ends your application's session there",
    async one => {
      const form = { form: await accountForm(one), session: claimsOf(one.own).sid }
      return one.visitor.post('/account/sessions/end', form)
    },
    [true, true, false],
  ],
]

describe('which token ends (interface 2.6), as docs/signing-in.md says', () => {
  test.for(ways)('when %s', async ([what, happen, left]) => {
    const page = await readFile(new URL('../../../../docs/signing-in.md', import.meta.url), 'utf8')
    expect(page).toContain(`| ${what} |`)
    const situation = await begin()
    const { visitor, riding, own } = situation
    expect(await Promise.all([riding, own].map(platform.isActive))).toEqual([true, true])
    await happen(situation)
    const isSignedIn = (await visitor.get('/account')).body.includes('/account/sign-out')
    expect([isSignedIn, ...(await Promise.all([riding, own].map(platform.isActive)))]).toEqual(left)
  })
})
