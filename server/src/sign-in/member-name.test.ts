import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hostOf } from '../testing/oauth-platform.ts'
import {
  createSignInPlatform,
  newAddress,
  type SignInPlatform,
  sessionCookie,
} from '../testing/sign-in-platform.ts'
import { actionsOf, hiddenOf, type Visitor, wordsOf } from '../testing/visitor.ts'

let platform: SignInPlatform
beforeAll(async () => {
  platform = await createSignInPlatform()
})
afterAll(() => platform?.close())

async function signedIn(): Promise<Visitor> {
  const visitor = platform.visit()
  const [flow = ''] = actionsOf((await visitor.get('/account')).body)
  const { code } = await platform.askForMail(visitor, flow, newAddress())
  expect((await visitor.post(`${flow}/code`, { code })).statusCode).toBe(303)
  return visitor
}

const formOf = async (visitor: Visitor) => hiddenOf((await visitor.get('/account')).body, 'form')
const fieldOf = (html: string): string => /<input id="name"[^>]*>/.exec(html)?.[0] ?? ''

/** The name as the member's API has it. */
async function nameOf(visitor: Visitor): Promise<string | null> {
  const answer = await platform.request(hostOf(), {
    url: '/api/sdk/member',
    headers: { authorization: `Bearer ${visitor.cookies.get(sessionCookie)?.split('=')[1]}` },
  })
  return answer.json().data.name
}

async function rename(visitor: Visitor, name: string) {
  return visitor.post('/account/name', { form: await formOf(visitor), name })
}

describe('the name on the account page', () => {
  test('is the member’s to write, and stands there and in the member’s API at once', async () => {
    const visitor = await signedIn()
    const before = (await visitor.get('/account')).body
    expect(fieldOf(before)).toMatch(
      /^<input id="name" name="name" type="text" autocomplete="name" maxlength="100" value=""/,
    )
    expect(before).toContain('<label for="name">Name</label>')
    const answer = await rename(visitor, 'Ada Lovelace')
    expect([answer.statusCode, answer.headers.location]).toEqual([303, '/account?named'])
    const after = (await visitor.get('/account?named')).body
    expect(fieldOf(after)).toContain('value="Ada Lovelace"')
    expect(wordsOf(after)).toContain('Your name is saved.')
    expect(await nameOf(visitor)).toBe('Ada Lovelace')
  })

  test.for<[string, string, string]>([
    ['spaces around and within', '  Ada \t Lovelace ', 'Ada Lovelace'],
    ['lines and other control characters', 'Ada\r\nLove\0lace\u2028\u007f', 'Ada Love lace'],
    ['marks that turn the direction of what follows', '\u202eecalevoL adA\u2066', 'ecalevoL adA'],
    ['what joins the letters of a script', 'سارا\u200cجان', 'سارا\u200cجان'],
    ['as many characters as there may be', 'é'.repeat(100), 'é'.repeat(100)],
    ['markup, which stays text', '<b onclick="x">&amp;', '<b onclick="x">&amp;'],
  ])('is tidied: %s', async ([, typed, kept]) => {
    const visitor = await signedIn()
    expect((await rename(visitor, typed)).statusCode).toBe(303)
    expect(await nameOf(visitor)).toBe(kept)
    expect((await visitor.get('/account')).body).not.toContain('<b onclick')
  })

  test('is taken away where nothing is left of it', async () => {
    const visitor = await signedIn()
    await rename(visitor, 'Ada')
    expect((await rename(visitor, ' \n ')).headers.location).toBe('/account?named')
    expect(await nameOf(visitor)).toBeNull()
  })

  test('is refused when it is too long, with what was typed still there', async () => {
    const visitor = await signedIn()
    await rename(visitor, 'Ada')
    const answer = await rename(visitor, 'x'.repeat(101))
    expect([answer.statusCode, wordsOf(answer.body)]).toEqual([
      400,
      expect.stringContaining('A name has at most 100 characters.'),
    ])
    expect(fieldOf(answer.body)).toMatch(
      /value="x{101}" aria-describedby="fault name-text" aria-invalid="true"/,
    )
    expect(await nameOf(visitor)).toBe('Ada')
  })

  test('is not changed by a form without the page’s own token, without a name, or of nobody', async () => {
    const [visitor, other] = [await signedIn(), await signedIn()]
    await rename(visitor, 'Ada')
    for (const form of ['', 'x', await formOf(other)])
      expect((await visitor.post('/account/name', { form, name: 'Eve' })).statusCode).toBe(403)
    const form = await formOf(visitor)
    const nameless = await visitor.post('/account/name', { form })
    expect([nameless.statusCode, nameless.headers.location]).toEqual([303, '/account'])
    const stranger = await platform.visit().post('/account/name', { form, name: 'Eve' })
    expect([stranger.statusCode, stranger.headers.location]).toEqual([303, '/account'])
    expect([await nameOf(visitor), await nameOf(other)]).toEqual(['Ada', null])
  })

  test('is asked for in the language of the browser', async () => {
    const visitor = await signedIn()
    const words = await Promise.all(
      ['de', 'fr', 'es'].map(async language =>
        wordsOf((await visitor.get('/account?named', { 'accept-language': language })).body),
      ),
    )
    expect(words).toEqual([
      expect.stringMatching(/Ihr Name ist gespeichert\..*Freiwillig\..*Namen speichern/),
      expect.stringMatching(/Votre nom est enregistré\..*Facultatif\..*Enregistrer le nom/),
      expect.stringMatching(/Su nombre está guardado\..*Opcional\..*Guardar el nombre/),
    ])
  })
})
