import { generateKeyPairSync, randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import OAuth2Server from '@node-oauth/oauth2-server'
import express from 'express'
import { SignJWT } from 'jose'
import pg from 'pg'
import { challenge, client, memberCount, randomCodes } from './code-server.ts'
import { serveOrders } from './rival.ts'

// A rival of code exchanges, a process of its own: @node-oauth/oauth2-server on express, as its documentation has it, with a
// small model over PostgreSQL whose statements are prepared, and RS256 tokens that jose signs outside of the event loop.

const tables = `
  create table clients (id text primary key, secret text not null, redirect_uris text[] not null);
  create table codes (
    code text primary key, client_id text not null references clients, user_id uuid not null, redirect_uri text not null,
    code_challenge text not null, expires_at timestamptz not null
  );
  create table tokens (
    id uuid primary key, client_id text not null references clients, user_id uuid not null, expires_at timestamptz not null
  )`

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const users = Array.from({ length: memberCount }, () => randomUUID())
const issuer = 'http://127.0.0.1'
const lifetimeS = 30 * 24 * 60 * 60

interface CodeRow {
  client_id: string
  user_id: string
  redirect_uri: string
  code_challenge: string
  expires_at: Date
}

function createModel(pool: pg.Pool): OAuth2Server.AuthorizationCodeModel {
  const query = <Row extends pg.QueryResultRow>(name: string, text: string, values: unknown[]) =>
    pool.query<Row>({ name, text, values })
  return {
    async getClient(id, secret) {
      const { rows } = await query<{ redirect_uris: string[] }>(
        'client',
        'select redirect_uris from clients where id = $1 and secret = $2',
        [id, secret],
      )
      return rows[0] && { id, grants: ['authorization_code'], redirectUris: rows[0].redirect_uris }
    },
    async getAuthorizationCode(authorizationCode) {
      const { rows } = await query<CodeRow>('code', 'select * from codes where code = $1', [
        authorizationCode,
      ])
      const [row] = rows
      return (
        row && {
          authorizationCode,
          expiresAt: row.expires_at,
          redirectUri: row.redirect_uri,
          codeChallenge: row.code_challenge,
          codeChallengeMethod: 'S256',
          client: { id: row.client_id, grants: ['authorization_code'] },
          user: { id: row.user_id },
        }
      )
    },
    async revokeAuthorizationCode({ authorizationCode }) {
      const { rowCount } = await query('revoke', 'delete from codes where code = $1', [authorizationCode])
      return rowCount === 1
    },
    generateAccessToken: (of, user) =>
      new SignJWT({ azp: of.id, client_id: of.id })
        .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid: 'one' })
        .setIssuer(issuer)
        .setAudience([issuer, of.id])
        .setSubject(user.id)
        .setJti(randomUUID())
        .setIssuedAt()
        .setExpirationTime(`${lifetimeS}s`)
        .sign(privateKey),
    async saveToken({ accessToken, accessTokenExpiresAt }, of, user) {
      const id = JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString()).jti
      await query('save', 'insert into tokens (id, client_id, user_id, expires_at) values ($1, $2, $3, $4)', [
        id,
        of.id,
        user.id,
        accessTokenExpiresAt,
      ])
      return { accessToken, ...(accessTokenExpiresAt && { accessTokenExpiresAt }), client: of, user }
    },
    saveAuthorizationCode: () => Promise.reject(new Error('codes are made ahead')),
    getAccessToken: () => Promise.reject(new Error('no resource is asked for')),
  }
}

let pool: pg.Pool

serveOrders({
  async start({ databaseUrl }) {
    pool = new pg.Pool({ connectionString: databaseUrl, max: 10 })
    await pool.query(tables)
    await pool.query('insert into clients values ($1, $2, $3)', [
      client.id,
      client.secret,
      [client.redirectUri],
    ])
    const oauth = new OAuth2Server({ model: createModel(pool), accessTokenLifetime: lifetimeS })
    const app = express().disable('x-powered-by').disable('etag')
    app.use(express.urlencoded({ extended: false }))
    app.post('/token', (request, response) => {
      const answer = new OAuth2Server.Response(response)
      oauth.token(new OAuth2Server.Request(request), answer).then(
        () => response.set(answer.headers).json(answer.body),
        (error: OAuth2Server.OAuthError) => response.status(error.code).json({ error: error.name }),
      )
    })
    const server = app.listen(0, '127.0.0.1')
    await new Promise(resolve => server.once('listening', resolve))
    return { port: (server.address() as AddressInfo).port, path: '/token' }
  },
  async makeCodes(count) {
    const codes = randomCodes(count)
    await pool.query(
      `insert into codes (code, client_id, user_id, redirect_uri, code_challenge, expires_at)
        select code, $1, ($5::uuid[])[1 + n % $6], $2, $3, now() + interval '1 hour'
        from unnest($4::text[]) with ordinality as c (code, n)`,
      [client.id, client.redirectUri, challenge, codes, users, memberCount],
    )
    return codes
  },
})
