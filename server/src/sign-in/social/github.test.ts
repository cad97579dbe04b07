import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { arrivedAt, newAddress } from '../../testing/sign-in-platform.ts'
import { type GithubServer, startGithubServer } from '../../testing/social/github-server.ts'
import {
  callbackOf,
  createSocialPlatform,
  type SocialPlatform,
} from '../../testing/social/social-platform.ts'
import { wordsOf } from '../../testing/visitor.ts'

// GitHub is not OpenID Connect (decisions, "Signing in").

let platform: SocialPlatform
let github: GithubServer
beforeAll(async () => {
  github = await startGithubServer(callbackOf('github'))
  platform = await createSocialPlatform()
  await platform.setProvider('github', {
    provider: 'github',
    issuer: github.issuer,
    client_id: github.client.id,
    client_secret: github.client.secret,
  })
})
afterAll(async () => {
  await platform?.close()
  await github?.close()
})

let email: string
let id = 583_231
beforeEach(() => {
  email = newAddress()
  github.user = { id: ++id, login: 'octocat', email: 'public@example.com' }
  github.emails = [
    { email: 'other@example.com', primary: false, verified: true, visibility: null },
    { email, primary: true, verified: true, visibility: 'private' },
  ]
})

describe('signing in by GitHub', () => {
  test('takes the verified primary address, and knows the account by its number', async () => {
    const visitor = platform.visit()
    arrivedAt(await platform.signInBy(visitor, 'github', ''))
    expect(await platform.whoIs(visitor)).toBe(email)
    expect((await platform.identities())[email]).toEqual([`github ${email}`])

    github.user = { id, login: 'another-login', name: 'Mona Octocat' }
    github.emails = []
    const again = platform.visit()
    arrivedAt(await platform.signInBy(again, 'github', ''))
    expect(await platform.whoIs(again)).toBe(email)
    expect((await platform.identities())[email]).toEqual(['github another-login'])
    const named = await platform.database.pool.query('select name from members where email = $1', [email])
    expect(named.rows).toEqual([{ name: 'Mona Octocat' }])
  })

  test.for([
    ['not verified', () => [{ email, primary: true, verified: false }]],
    ['not the primary one', () => [{ email, primary: false, verified: true }]],
    ['not there', () => []],
    ['said by a word', () => [{ email, primary: true, verified: 'true' }]],
  ] as const)('joins nobody by an address that is %s', async ([, emails]) => {
    github.emails = emails()
    const answer = await platform.signInBy(platform.visit(), 'github', '')
    expect(answer.statusCode).toBe(403)
    expect(wordsOf(answer.body)).toContain('GitHub does not confirm that a mail address is yours.')
  })

  test.for([
    ['no id', { login: 'octocat' }],
    ['an id that is a text', { id: '1', login: 'octocat' }],
    ['nothing', null],
  ] as const)('does not believe a user with %s', async ([, user]) => {
    github.user = user
    const answer = await platform.signInBy(platform.visit(), 'github', '')
    expect([answer.statusCode, wordsOf(answer.body)]).toEqual([
      400,
      expect.stringContaining('GitHub gave an answer that we cannot trust.'),
    ])
  })

  test('sends PKCE, and no nonce, of which GitHub knows nothing', async () => {
    const visitor = platform.visit()
    const { searchParams } = new URL(await platform.press(visitor, await platform.begin(visitor), 'github'))
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: github.client.id,
      response_type: 'code',
      redirect_uri: callbackOf('github'),
      scope: 'read:user user:email',
      state: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    })
  })

  test('is told of a wrong secret when it is saved', async () => {
    const saved = platform.setProvider('github', { client_secret: 'wrong' })
    await expect(saved).rejects.toThrow(
      'client_secret was refused by GitHub (incorrect_client_credentials); compare it and client_id',
    )
  })
})
