import { describe, expect, test } from 'vitest'
import { clientErrors } from './client-rules.ts'

const good = {
  name: 'Partner',
  redirect_uris: ['https://app.example.com/callback'],
  allowed_origins: [],
  post_logout_redirect_uris: [],
  backchannel_logout_uri: null,
}
const withUri = (uri: string) => clientErrors({ ...good, redirect_uris: [uri] })
const withOrigin = (origin: string) => clientErrors({ ...good, allowed_origins: [origin] })

describe('a redirect URI (interface 2.5)', () => {
  test.for([
    'https://app.example.com/callback',
    'https://app.example.com',
    'https://app.example.com/',
    'https://app.example.com:8443/a/b%2Fc?x=1&y=',
    'http://localhost/callback',
    'http://localhost:4000/callback',
    'http://127.0.0.1:4000/',
    'https://[2001:db8::1]/cb',
    'https://xn--bcher-kva.example/cb',
  ])('may be %s', uri => {
    expect(withUri(uri)).toEqual({})
  })

  test.for([
    ['http://app.example.com/callback', 'must be HTTPS'],
    ['http://localhost.example.com/', 'must be HTTPS'],
    ['http://app.localhost/', 'must be HTTPS'],
    ['http://127.0.0.2/', 'must be HTTPS'],
    ['http://[::1]/', 'must be HTTPS'],
    ['http://localhost@evil.example/', 'must be HTTPS'],
    ['javascript:alert(1)', 'must be HTTPS'],
    ['com.example.app:/callback', 'must be HTTPS'],
    ['//app.example.com/callback', 'must be an absolute URL'],
    ['/callback', 'must be an absolute URL'],
    ['', 'must be written in visible ASCII'],
    ['https://', 'must be an absolute URL'],
    ['https://app.example.com/callback#', 'must not have a fragment'],
    ['https://app.example.com/callback#done', 'must not have a fragment'],
    ['https://user@app.example.com/', 'must not hold a user or a password'],
    ['https://:secret@app.example.com/', 'must not hold a user or a password'],
    ['https://*.example.com/callback', 'wildcards (*) match nothing'],
    ['https://app.example.com/*', 'wildcards (*) match nothing'],
    ['https://app.example.com/callback?state=1', 'must not have the parameter state'],
    ['https://app.example.com/callback?a=1&code', 'must not have the parameter code'],
    ['https://APP.example.com/callback', 'must be written as https://app.example.com/callback'],
    ['https://app.example.com:443/callback', 'must be written as https://app.example.com/callback'],
    ['https://app.example.com/a/../callback', 'must be written as https://app.example.com/callback'],
    ['https://app.example.com/a b', 'must be written in visible ASCII'],
    [' https://app.example.com/', 'must be written in visible ASCII'],
    ['https://app.example.com\\@evil.example/', 'without backslashes'],
    ['https://bücher.example/', 'must be written in visible ASCII'],
    [`https://app.example.com/${'a'.repeat(2_048)}`, 'must have at most 2048 characters'],
  ] as const)('may not be %s', ([uri, message]) => {
    expect(withUri(uri)).toEqual({ redirect_uris: [expect.stringContaining(`redirect_uris[0] `)] })
    expect(withUri(uri).redirect_uris?.[0]).toContain(message)
  })

  test('is needed once at least, and not twice, and not by the thousand', () => {
    const uris = (redirect_uris: string[]) => clientErrors({ ...good, redirect_uris })
    expect(uris([])).toEqual({ redirect_uris: ['redirect_uris must have at least one URL.'] })
    expect(uris(['https://a.example/', 'https://b.example/', 'https://a.example/'])).toEqual({
      redirect_uris: ['redirect_uris[2] is there twice.'],
    })
    expect(uris(Array.from({ length: 51 }, (_, at) => `https://a.example/${at}`))).toEqual({
      redirect_uris: ['redirect_uris must have at most 50 entries.'],
    })
  })
})

describe('an allowed origin', () => {
  test.for(['https://news.example.com', 'http://news.acme.localhost:4100', 'https://news.example.com:8443'])(
    'may be %s',
    origin => {
      expect(withOrigin(origin)).toEqual({})
    },
  )

  test.for([
    ['https://news.example.com/', 'as browsers send it: https://news.example.com'],
    ['https://news.example.com/articles', 'as browsers send it: https://news.example.com'],
    ['https://NEWS.example.com', 'as browsers send it: https://news.example.com'],
    ['https://news.example.com:443', 'as browsers send it: https://news.example.com'],
    ['https://user@news.example.com', 'as browsers send it: https://news.example.com'],
    ['https://*.example.com', 'wildcards'],
    ['*', 'must be an absolute URL'],
    ['null', 'must be an absolute URL'],
    ['news.example.com', 'must be an absolute URL'],
    ['ftp://news.example.com', 'must be an http or https origin'],
  ] as const)('may not be %s', ([origin, message]) => {
    expect(withOrigin(origin).allowed_origins?.[0]).toContain(message)
  })
})

describe('addresses of signing out (OpenID Connect RP-Initiated and Back-Channel Logout)', () => {
  const errors = (uri: string) => ({
    ...clientErrors({ ...good, post_logout_redirect_uris: [uri] }),
    ...clientErrors({ ...good, backchannel_logout_uri: uri }),
  })

  test.for(['https://app.example.com/', 'https://app.example.com/out?tenant=1', 'http://127.0.0.1:4000/out'])(
    'may be %s',
    uri => {
      expect(errors(uri)).toEqual({})
    },
  )

  test.for([
    ['http://app.example.com/out', 'must be HTTPS'],
    ['https://app.example.com/out#there', 'must not have a fragment'],
    ['https://user@app.example.com/out', 'must not hold a user'],
    ['https://*.example.com/out', 'wildcards'],
    ['https://APP.example.com/out', 'must be written as https://app.example.com/out'],
    ['/out', 'must be an absolute URL'],
    ['javascript:alert(1)', 'must be HTTPS'],
  ] as const)('may not be %s', ([uri, message]) => {
    const { post_logout_redirect_uris: redirect, backchannel_logout_uri: backchannel } = errors(uri)
    expect([redirect?.[0], backchannel?.[0]]).toEqual([
      expect.stringContaining(message),
      expect.stringContaining(message),
    ])
  })

  test('may not hold state where a browser comes with it, and are not there twice', () => {
    const withState = 'https://app.example.com/out?state=1'
    expect(clientErrors({ ...good, backchannel_logout_uri: withState })).toEqual({})
    expect(
      clientErrors({
        ...good,
        post_logout_redirect_uris: [withState, 'https://a.example/', 'https://a.example/'],
      }),
    ).toEqual({
      post_logout_redirect_uris: [
        'post_logout_redirect_uris[0] must not have the parameter state, which answers carry.',
        'post_logout_redirect_uris[2] is there twice.',
      ],
    })
  })
})

describe('the other fields', () => {
  test.for(['', ' Partner', 'Partner ', 'Part\nner', 'a'.repeat(201), 'Part\u0000ner', '\ud800'])(
    'the name may not be %j',
    name => {
      expect(clientErrors({ ...good, name })).toEqual({
        name: ['name must be 1 to 200 characters on one line, without spaces around it.'],
      })
    },
  )
  test.for(['', 'a b', 'a/b', 'ä', 'a'.repeat(129), 'a\n'])('the client_id may not be %j', client_id => {
    expect(Object.keys(clientErrors({ ...good, client_id }))).toEqual(['client_id'])
  })
  test('tell all their faults at once', () => {
    const faults = clientErrors({
      client_id: 'a b',
      name: '',
      redirect_uris: ['x', 'https://a.example/', 'y'],
      allowed_origins: ['z'],
      post_logout_redirect_uris: ['v', 'w'],
      backchannel_logout_uri: '',
    })
    expect(Object.entries(faults).map(([field, messages]) => [field, messages.length])).toEqual([
      ['client_id', 1],
      ['name', 1],
      ['redirect_uris', 2],
      ['allowed_origins', 1],
      ['post_logout_redirect_uris', 2],
      ['backchannel_logout_uri', 1],
    ])
  })
})
