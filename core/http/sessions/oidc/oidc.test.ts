import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { createOutbound } from '#core/http-client/outbound.ts'
import { listen } from '#test/harness/listen.ts'
import { recordingCaller } from '../../testing/build-server.ts'
import { ORIGIN, startSessions, toCookie } from '../testing/session-server.ts'
import { oidcOf } from './create-oidc.ts'
import { client, signInAtIssuer, startIssuer } from './testing/start-issuer.ts'

const CALLBACK = '/session/oidc/callback'

interface Given {
  readonly issuer?: string
  readonly now?: () => Date
  readonly publicUrl?: string
  readonly clientSecret?: string
  readonly rejects?: boolean
}

async function startWithIssuer(t: TestContext, given: Given = {}) {
  const { publicUrl = ORIGIN, now = () => new Date(), clientSecret = client.secret, rejects = false } = given
  const { issuer } =
    given.issuer === undefined ? await startIssuer(t, `${publicUrl}${CALLBACK}`) : { issuer: given.issuer }
  const outbound = createOutbound({ allow: ['127.0.0.0/8'], ownUrls: () => [] })
  t.after(() => outbound.close())
  const oidc = { issuer, clientId: client.id, clientSecret, scopes: ['openid', 'email'], title: 'Example' }
  const bearers: string[] = []
  const server = await startSessions(t, {
    now,
    settings: { publicUrl },
    cluster: {
      as: async (bearer) => {
        bearers.push(bearer)
        return recordingCaller(rejects ? 'rejected-token' : bearer, [])
      },
    },
    oidc: oidcOf({ publicUrl, idleMinutes: 60, absoluteHours: 8, oidc }, outbound, now),
  })
  const get = async (url: string, cookie = '') => {
    const response = await server.app.inject({
      url,
      headers: { host: '127.0.0.1:8080', cookie, 'sec-fetch-site': 'cross-site' },
    })
    const set = [response.headers['set-cookie'] ?? []].flat()
    return { status: response.statusCode, location: response.headers.location ?? '', set, text: response.body }
  }
  const begin = async (next = '/runs?state=failed') => {
    const { location, set, status } = await get(`/session/oidc?next=${encodeURIComponent(next)}`)
    assert.equal(status, 303)
    return { address: location, cookie: toCookie(set), set }
  }
  return { ...server, issuer, get, begin, bearers }
}

const refused = (reason: string): string => `/sign-in?error=${reason}`

test('OIDC: a browser signs in with code and PKCE; the ID token is its bearer, in cookies only', async (t) => {
  const { begin, get, send, bearers, issuer, lines } = await startWithIssuer(t)
  const { address, cookie, set } = await begin()
  const asked = new URL(address).searchParams
  assert.deepEqual([asked.get('code_challenge_method'), asked.get('response_type')], ['S256', 'code'])
  assert.match(
    set[0] ?? '',
    /^mesh-oidc-8080=[\w-]+; Path=\/session\/oidc\/callback; Max-Age=600; HttpOnly; SameSite=Lax$/,
  )
  const callback = await signInAtIssuer(address)
  assert.equal(callback.searchParams.get('iss'), issuer)
  const done = await get(`${callback.pathname}${callback.search}`, cookie)
  assert.deepEqual([done.status, done.location], [303, '/runs?state=failed'])
  const session = toCookie(done.set)
  assert.ok(
    done.set.some((line) => line.startsWith('mesh-oidc-8080=;')),
    'the state is removed',
  )
  const shown = await send('GET', '/session', { cookie: session })
  assert.match(shown.text, /"session":\{"username":"test"/)
  assert.equal((await send('GET', '/api/things', { cookie: session })).status, 200)
  const claims = JSON.parse(Buffer.from(bearers[0]?.split('.')[1] ?? '', 'base64url').toString()) as Record<
    string,
    unknown
  >
  assert.deepEqual([claims['iss'], claims['aud'], claims['email']], [issuer, client.id, 'alice@example.com'])
  const code = callback.searchParams.get('code') ?? ''
  for (const secret of [code, asked.get('state') ?? '', bearers[0] ?? '', client.secret])
    assert.ok(!`${lines.join()}${done.set.join()}${shown.text}${done.location}`.includes(secret))
  // Replayed: with its cookie, and without.
  for (const replayed of [cookie, '', session])
    assert.equal((await get(`${callback.pathname}${callback.search}`, replayed)).location, refused('state'))
})

test('OIDC: a callback without a state, with that of another sign-in, changed, late or of another issuer is refused', async (t) => {
  let at = Date.now()
  const { begin, get, bearers, issuer } = await startWithIssuer(t, { now: () => new Date(at) })
  const [one, other] = [await begin(), await begin()]
  const callback = await signInAtIssuer(one.address)
  const changed = (change: (parameters: URLSearchParams) => void): string => {
    const parameters = new URLSearchParams(callback.search)
    change(parameters)
    return `${CALLBACK}?${parameters}`
  }
  const cases = [
    [CALLBACK, one.cookie, 'issuer'],
    [changed((all) => all.delete('state')), one.cookie, 'state'],
    [changed((all) => all.set('state', new URL(other.address).searchParams.get('state') ?? '')), one.cookie, 'state'],
    [changed(() => undefined), other.cookie, 'state'],
    [changed(() => undefined), '', 'state'],
    [changed(() => undefined), `${one.cookie}; ${one.cookie}`, 'state'],
    [changed(() => undefined), one.cookie.slice(0, -2), 'state'],
    [changed(() => undefined), 'mesh-oidc-8080=%00', 'state'],
    [changed((all) => all.append('state', 'more')), one.cookie, 'state'],
    [changed((all) => all.append('code', 'more')), one.cookie, 'state'],
    [changed((all) => all.delete('iss')), one.cookie, 'issuer'],
    [changed((all) => all.set('iss', 'https://evil.example')), one.cookie, 'issuer'],
    [changed((all) => all.append('iss', issuer)), one.cookie, 'issuer'],
    [`${CALLBACK}?error=access_denied&iss=${issuer}&state=${callback.searchParams.get('state')}`, one.cookie, 'denied'],
  ] as const
  for (const [url, cookie, reason] of cases) assert.equal((await get(url, cookie)).location, refused(reason), url)
  at += 11 * 60_000
  assert.equal(
    (
      await get(
        changed(() => undefined),
        one.cookie,
      )
    ).location,
    refused('state'),
    'after ten minutes',
  )
  at -= 11 * 60_000
  const forged = await begin()
  const own = new URL(forged.address).searchParams.get('state') ?? ''
  assert.equal(
    (
      await get(
        changed((all) => all.set('state', own)),
        forged.cookie,
      )
    ).location,
    refused('token'),
    'the code of another verifier',
  )
  assert.deepEqual(bearers, [])
})

test('OIDC: a clock that is wrong by an hour, a wrong secret and a cluster that rejects the token have a reason each', async (t) => {
  const reasonOf = async (given: Given): Promise<string> => {
    const { begin, get } = await startWithIssuer(t, given)
    const { address, cookie } = await begin()
    const { pathname, search } = await signInAtIssuer(address)
    return (await get(`${pathname}${search}`, cookie)).location
  }
  const ahead = 3_700_000
  assert.equal(await reasonOf({ now: () => new Date(Date.now() + ahead) }), refused('clock'))
  assert.equal(await reasonOf({ now: () => new Date(Date.now() - ahead) }), refused('clock'))
  assert.equal(await reasonOf({ clientSecret: 'wrong' }), refused('token'))
  assert.equal(await reasonOf({ rejects: true }), refused('cluster'))
})

test('OIDC: an issuer that names another, answers anything or nothing begins no sign-in', async (t) => {
  const answers = new Map<string, string>()
  const url = await listen(
    t,
    createServer((request, response) => {
      response.setHeader('content-type', 'application/json').end(answers.get(request.url ?? '') ?? '')
    }),
  )
  const mixed = await startWithIssuer(t, { issuer: url })
  const start = async (): Promise<string> => (await mixed.get('/session/oidc')).location
  assert.equal(await start(), refused('issuer'))
  const document = { issuer: 'https://evil.example', authorization_endpoint: `${url}/a`, token_endpoint: `${url}/t` }
  answers.set('/.well-known/openid-configuration', JSON.stringify(document))
  assert.equal(await start(), refused('issuer'))
  answers.set('/.well-known/openid-configuration', '['.repeat(100_000))
  assert.equal(await start(), refused('issuer'))
  answers.set('/.well-known/openid-configuration', `{"a":"${'x'.repeat(300_000)}"}`)
  assert.equal(await start(), refused('unavailable'))
  const away = await startWithIssuer(t, { issuer: 'http://127.0.0.1:1' })
  assert.equal((await away.get('/session/oidc')).location, refused('unavailable'))
})

test('OIDC: a sign-in continues at a path of this origin only', async (t) => {
  const { begin, get } = await startWithIssuer(t)
  const hostile = [
    '//evil.example',
    '/\\evil.example',
    'https://evil.example',
    'javascript:alert(1)',
    '/a\nb',
    '/\tb',
    '',
  ].concat(`/${'a'.repeat(3_000)}`, '/\\/evil.example', '.evil.example')
  for (const next of hostile) {
    const { address, cookie } = await begin(next)
    const { pathname, search } = await signInAtIssuer(address)
    assert.equal((await get(`${pathname}${search}`, cookie)).location, '/', next)
  }
})

test('OIDC: behind TLS the cookie of the state is secure', async (t) => {
  const { begin } = await startWithIssuer(t, { publicUrl: 'https://mesh.example.com' })
  const { set, address } = await begin()
  assert.match(set[0] ?? '', /^__Secure-mesh-oidc=.*; Path=\/session\/oidc\/callback; .*SameSite=Lax; Secure$/)
  assert.equal(new URL(address).searchParams.get('redirect_uri'), 'https://mesh.example.com/session/oidc/callback')
  assert.throws(
    () =>
      oidcOf(
        { idleMinutes: 1, absoluteHours: 1, oidc: { issuer: 'https://a', clientId: 'x', scopes: [], title: 'x' } },
        { request: async () => assert.fail() },
        () => new Date(),
      ),
    /sessions\.oidc: needs sessions\.publicUrl/,
  )
})

test('OIDC: sign-ins and refused ones are reported, without a value of issuer or browser', async (t) => {
  const { app, begin, get, outcomes, bearers } = await startWithIssuer(t)
  const { address, cookie } = await begin()
  const { pathname, search, searchParams } = await signInAtIssuer(address)
  for (let n = 0; n < 30; n++) await get(`${CALLBACK}?error=canary-${n}&state=canary`, cookie)
  await get(`${pathname}${search}`, cookie)
  await get(`${pathname}${search}`, cookie)
  await app.close()
  const secrets = [searchParams.get('code') ?? '', searchParams.get('state') ?? '', bearers[0] ?? '', cookie, 'canary']
  for (const secret of secrets) assert.ok(!JSON.stringify(outcomes).includes(secret))
  assert.deepEqual(
    outcomes.map(({ actor, action, way, outcome, code, count }) => [actor, action, way, outcome, code, count]),
    [
      [undefined, 'sign-in', 'oidc', 'denied', 'issuer', 1],
      ['test', 'sign-in', 'oidc', 'success', undefined, undefined],
      [undefined, 'sign-in', 'oidc', 'denied', 'state', 1],
      [undefined, 'sign-in', 'oidc', 'denied', 'issuer', 29],
    ],
  )
})
