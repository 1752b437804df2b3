import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import test from 'node:test'
import { gzipSync } from 'node:zlib'
import { REJECTED, testKeyring } from '../testing/build-server.ts'
import { createOneTimeCodes } from './one-time-codes.ts'
import { ownPage, sessionDatabase, startSessions, toCookie } from './testing/session-server.ts'

const HOUR_MS = 3_600_000

interface View {
  readonly session: { readonly username: string; readonly endsAt: string; readonly idleEndsAt: string } | null
  readonly ended: string | null
}

test('UX-13: a token becomes cookies that no script reads, and that stand for it at the API', async (t) => {
  const { send, signIn, lines } = await startSessions(t)
  const { status, text, cookies } = await signIn()
  assert.equal(status, 200, text)
  assert.equal((JSON.parse(text) as View).session?.username, 'test')
  assert.match(
    cookies[0] ?? '',
    /^mesh-session-8080\.1=1\.[\w-]+; Path=\/; Max-Age=(?:3600|3599); HttpOnly; SameSite=Strict$/,
  )
  assert.equal(cookies.filter((line) => line.includes('Max-Age=0;')).length, 2, 'parts of an earlier session')
  const cookie = toCookie(cookies)
  assert.equal((await send('GET', '/api/things', { cookie })).status, 200)
  assert.equal((await send('POST', '/api/things', { cookie, body: {} })).status, 201)
  assert.equal((await send('GET', '/session', { cookie })).status, 200)
  assert.doesNotMatch(`${text}${cookies.join()}${lines.join('')}`, /good-token/)
})

test('D4: a cluster gets cookies of `__Host-`, over TLS only', async (t) => {
  const { send } = await startSessions(t, { settings: { publicUrl: 'https://mesh.example.com' } })
  const headers = { ...ownPage, host: 'internal:80', origin: 'https://mesh.example.com' }
  const { cookies } = await send('POST', '/session', { headers, body: { token: 'good-token' } })
  for (const line of cookies)
    assert.match(line, /^__Host-mesh-session\.[123]=.*; Path=\/; .*HttpOnly; SameSite=Strict; Secure$/)
})

test('a session ends at sign-out, also for a copy of its cookies, and at a second server', async (t) => {
  const database = await sessionDatabase(t)
  const keys = testKeyring()
  const [one, other] = [await startSessions(t, { database, keys }), await startSessions(t, { database, keys })]
  const first = toCookie((await one.signIn()).cookies)
  const second = toCookie((await one.signIn()).cookies)
  const third = toCookie((await other.signIn()).cookies)
  assert.equal((await other.send('GET', '/api/things', { cookie: first })).status, 200)
  const out = await one.send('DELETE', '/session', { cookie: first })
  assert.deepEqual([out.status, toCookie(out.cookies), out.cookies.length], [204, '', 3])
  for (const { send } of [one, other]) assert.equal((await send('GET', '/api/things', { cookie: first })).status, 401)
  assert.equal((await other.send('GET', '/api/things', { cookie: second })).status, 200, 'another session stays')
  assert.equal((await one.send('DELETE', '/session/all', { cookie: second })).status, 204)
  for (const cookie of [first, second, third])
    for (const { send } of [one, other]) assert.equal((await send('GET', '/api/things', { cookie })).status, 401)
  const shown = await one.send('GET', '/session', { cookie: third })
  assert.deepEqual([(JSON.parse(shown.text) as View).ended, toCookie(shown.cookies)], ['signed_out', ''])
  assert.equal((await one.send('DELETE', '/session/all', { cookie: third })).status, 401)
  const again = toCookie((await one.signIn()).cookies)
  assert.equal((await other.send('GET', '/api/things', { cookie: again })).status, 200, 'a later session')
})

test('signing out everywhere ends the sessions of one user only', async (t) => {
  const { send, signIn } = await startSessions(t)
  const [own, others] = [toCookie((await signIn()).cookies), toCookie((await signIn('other-token')).cookies)]
  assert.equal((await send('DELETE', '/session/all', { cookie: own })).status, 204)
  assert.equal((await send('GET', '/api/things', { cookie: others })).status, 200)
})

test('a new sign-in ends the session that the browser had', async (t) => {
  const { send, signIn } = await startSessions(t)
  const cookie = toCookie((await signIn()).cookies)
  const next = toCookie((await send('POST', '/session', { cookie, body: { token: 'other-token' } })).cookies)
  assert.equal((await send('GET', '/api/things', { cookie })).status, 401)
  assert.equal((await send('GET', '/api/things', { cookie: next })).status, 200)
})

test('cookies that are cut, changed, reordered, repeated, of another port or key are refused without the cluster', async (t) => {
  const database = await sessionDatabase(t)
  const keys = testKeyring()
  const { send, signIn, upstream } = await startSessions(t, { database, keys })
  const long = randomBytes(5_000).toString('base64url')
  const cookie = toCookie((await signIn(long)).cookies)
  const parts = cookie.split('; ')
  assert.equal(parts.length, 2, 'a long bearer has several parts')
  assert.equal((await send('GET', '/api/things', { cookie })).status, 200)
  const [one = '', two = ''] = parts.map((part) => part.split('=')[1])
  const named = (number: number, value: string): string => `mesh-session-8080.${number}=${value}`
  const otherPort = await startSessions(t, { database, keys, settings: { publicUrl: 'http://127.0.0.1:9090' } })
  const elsewhere = { ...ownPage, host: '127.0.0.1:9090', origin: 'http://127.0.0.1:9090' }
  const asked = upstream.length
  const hostile = [
    cookie.slice(0, -1),
    parts[0] ?? '',
    named(2, two),
    [named(1, `2.${two}`), named(2, one.slice(2))].join('; '),
    [named(1, one), named(1, one), named(2, two)].join('; '),
    [named(1, one), named(2, two), named(2, two)].join('; '),
    [named(1, one.replace(/^2/, '3')), named(2, two)].join('; '),
    [named(1, one.replace(/^2/, '9')), named(2, two)].join('; '),
    [named(1, one.replace(/^2/, '1')), named(2, two)].join('; '),
    named(1, ''),
    named(1, '1.'),
    named(1, '1.A'),
    named(1, `1.${'A'.repeat(3_000)}`),
    named(1, `1.${one.slice(2)}%00`),
    named(1, '1.\u00ff\u0000'),
  ]
  for (const given of hostile) {
    assert.equal((await send('GET', '/api/things', { cookie: given })).status, 401, given.slice(0, 60))
    assert.equal((await send('GET', '/session', { cookie: given })).status, 200)
  }
  const renamed = cookie.replaceAll('-8080.', '-9090.')
  assert.equal((await otherPort.send('GET', '/api/things', { cookie: renamed, headers: elsewhere })).status, 401)
  assert.equal((await otherPort.send('GET', '/api/things', { cookie, headers: elsewhere })).status, 401)
  const otherKeys = await startSessions(t, { database, keys: testKeyring() })
  assert.equal((await otherKeys.send('GET', '/api/things', { cookie })).status, 401)
  assert.equal(upstream.length, asked)
})

test('a session ends when it is idle, at its absolute end, and with its token; GET /session renews it', async (t) => {
  let at = Date.parse('2026-11-29T12:00:00Z')
  const { send, signIn } = await startSessions(t, { now: () => new Date(at) })
  const cookie = toCookie((await signIn()).cookies)
  at += HOUR_MS - 1_000
  const renewed = await send('GET', '/session', { cookie })
  const { session } = JSON.parse(renewed.text) as View
  assert.deepEqual([session?.endsAt, session?.idleEndsAt], ['2026-11-29T20:00:00.000Z', '2026-11-29T13:59:59.000Z'])
  assert.deepEqual((await send('GET', '/session', { cookie: toCookie(renewed.cookies) })).cookies, [], 'once a minute')
  at += 2_000
  const idle = await send('GET', '/session', { cookie })
  assert.equal((JSON.parse(idle.text) as View).ended, 'idle')
  let current = toCookie(renewed.cookies)
  for (let half = 0; half < 13; half++) {
    at += HOUR_MS / 2
    const kept = await send('GET', '/session', { cookie: current })
    current = toCookie(kept.cookies)
    assert.equal((await send('GET', '/api/things', { cookie: current })).status, 200, `after ${half} halves`)
  }
  at += HOUR_MS / 2
  assert.equal((await send('GET', '/api/things', { cookie: current })).status, 401)
  assert.equal((JSON.parse((await send('GET', '/session', { cookie: current })).text) as View).ended, 'expired')
})

test('a clock that is wrong by an hour refuses a session from the future, and a token that has expired', async (t) => {
  const database = await sessionDatabase(t)
  const keys = testKeyring()
  const now = Date.now()
  const ahead = await startSessions(t, { database, keys, now: () => new Date(now + HOUR_MS) })
  const exact = await startSessions(t, { database, keys, now: () => new Date(now) })
  const close = await startSessions(t, { database, keys, now: () => new Date(now + 30_000) })
  const cookie = toCookie((await ahead.signIn()).cookies)
  assert.equal((JSON.parse((await exact.send('GET', '/session', { cookie })).text) as View).ended, 'clock')
  assert.equal((await exact.send('GET', '/api/things', { cookie })).status, 401)
  const near = toCookie((await close.signIn()).cookies)
  assert.equal((await exact.send('GET', '/api/things', { cookie: near })).status, 200, 'half a minute is nothing')
  const claims = Buffer.from(JSON.stringify({ exp: Math.floor(now / 1_000) + 1_800 })).toString('base64url')
  const token = `a.${claims}.b`
  const refused = await ahead.signIn(token)
  assert.deepEqual([refused.status, refused.cookies], [401, []])
  assert.match(refused.text, /expired by the clock of this server/)
  const half = await exact.signIn(token)
  const { session } = JSON.parse(half.text) as View
  assert.equal(Date.parse(session?.endsAt ?? ''), (Math.floor(now / 1_000) + 1_800) * 1_000, 'it ends with its token')
})

test('a bearer that does not fit three cookies is refused at the sign-in, with the reason', async (t) => {
  const { send, signIn } = await startSessions(t)
  const fits = await signIn(randomBytes(8_200).toString('base64url'))
  assert.equal(toCookie(fits.cookies).split('; ').length, 3)
  assert.equal((await send('GET', '/api/things', { cookie: toCookie(fits.cookies) })).status, 200)
  for (const bytes of [9_200, 22_500, 180_000]) {
    const { status, text, cookies } = await signIn(randomBytes(bytes).toString('base64url'))
    assert.deepEqual([status, cookies], [413, []], text)
    assert.match(text, new RegExp(`The token has ${Math.ceil((bytes * 4) / 3)} bytes`))
  }
  const bomb = await signIn('a'.repeat(30_000))
  assert.deepEqual([bomb.status, bomb.cookies], [413, []], 'it would fit when compressed')
  assert.equal((await signIn('a'.repeat(16_384))).status, 200)
})

test('a sign-in refuses other bodies, compressed ones, and a token that the cluster rejects', async (t) => {
  const { app, send, signIn, lines } = await startSessions(t, { ways: { codes: createOneTimeCodes() } })
  const bodies = [
    {},
    [],
    { token: '' },
    { token: 1 },
    { token: 'a b' },
    { token: 'a\u0000' },
    { token: '\ud800' },
  ].concat([{ token: 'a', code: 'b' } as never, { token: 'a', more: 1 } as never, { code: 1 } as never])
  for (const body of bodies) assert.equal((await send('POST', '/session', { body })).status, 400, JSON.stringify(body))
  assert.equal((await send('POST', '/session', { body: { code: 'unknown' } })).status, 404)
  const rejected = await signIn(REJECTED)
  assert.deepEqual([rejected.status, rejected.cookies], [401, []])
  const bomb = await app.inject({
    method: 'POST',
    url: '/session',
    headers: { ...ownPage, 'content-type': 'application/json', 'content-encoding': 'gzip' },
    body: gzipSync(JSON.stringify({ token: 'a'.repeat(900_000) })),
  })
  assert.equal(bomb.statusCode, 400, 'no body is decompressed')
  assert.ok(!lines.some((line) => line.includes('failed unexpectedly')))
})

test('SEC21: a code is valid once and for ten minutes, and gives the bearer that it was made for', async (t) => {
  let at = 0
  const codes = createOneTimeCodes(() => at)
  const { send } = await startSessions(t, { ways: { codes } })
  const issued = await send('POST', '/session/codes', { headers: { authorization: 'Bearer other-token' } })
  const { code } = JSON.parse(issued.text) as { code: string }
  assert.equal(issued.status, 201)
  const signed = await send('POST', '/session', { body: { code } })
  assert.equal((JSON.parse(signed.text) as View).session?.username, 'other')
  assert.equal((await send('POST', '/session', { body: { code } })).status, 404)
  const late = codes.issue('good-token')
  at = 600_001
  assert.equal((await send('POST', '/session', { body: { code: late } })).status, 404)
  const cookie = toCookie(signed.cookies)
  assert.equal((await send('POST', '/session/codes', { cookie })).status, 401, 'a session makes no code')
  for (const made of Array.from({ length: 500 }, () => codes.issue('x')).slice(0, 400))
    assert.equal(codes.exchange(made), undefined, 'old codes make room')
})

test('a session of admin changes its persona, another does not, and the old cookies end', async (t) => {
  const personas = { admin: 'good-token', other: 'other-token' }
  const { send, signIn } = await startSessions(t, { ways: { personas } })
  const cookie = toCookie((await signIn()).cookies)
  const change = (persona: unknown, from: string) =>
    send('PUT', '/session/persona', { cookie: from, body: { persona } })
  const changed = await change('other', cookie)
  assert.equal((JSON.parse(changed.text) as View).session?.username, 'other')
  assert.equal((await send('GET', '/api/things', { cookie })).status, 401)
  const back = await change('admin', toCookie(changed.cookies))
  assert.equal((JSON.parse(back.text) as View).session?.username, 'test')
  for (const persona of ['__proto__', 'constructor', '', 'unknown', 1, null, 'x'.repeat(64)])
    assert.equal((await change(persona, toCookie(back.cookies))).status, 400, String(persona))
  const plain = toCookie((await signIn('other-token')).cookies)
  assert.equal((await change('admin', plain)).status, 403)
  // All sessions of the person end, whichever persona they have.
  const again = await change('other', toCookie(back.cookies))
  assert.equal((await send('DELETE', '/session/all', { cookie: toCookie(again.cookies) })).status, 204)
  assert.equal((await send('GET', '/api/things', { cookie: toCookie(again.cookies) })).status, 401)
})

test('D4: a write with a cookie needs the origin, Sec-Fetch-Site and the header; a read is not of another site', async (t) => {
  const { send, signIn, upstream } = await startSessions(t)
  const cookie = toCookie((await signIn()).cookies)
  const { origin, 'sec-fetch-site': site, 'x-mesh-session': own, host } = ownPage
  const foreign: Readonly<Record<string, string>>[] = [
    { host },
    { host, origin, 'sec-fetch-site': site },
    { host, origin, 'x-mesh-session': own },
    { host, 'sec-fetch-site': site, 'x-mesh-session': own },
    { ...ownPage, 'x-mesh-session': 'yes' },
    ...['cross-site', 'same-site', 'none', ''].map((one) => ({ ...ownPage, 'sec-fetch-site': one })),
    ...['null', 'http://127.0.0.1:8081', 'http://evil.example', 'http://127.0.0.1:8080/', 'https://127.0.0.1:8080.evil']
      .concat(['http://127.0.0.1:8080@evil.example', 'http://127.0.0.1', '*', ''])
      .map((one) => ({ ...ownPage, origin: one })),
  ]
  const asked = upstream.length
  for (const headers of foreign)
    for (const [method, url] of [
      ['POST', '/api/things'],
      ['DELETE', '/session'],
      ['DELETE', '/session/all'],
    ] as const) {
      const { status, text } = await send(method, url, { cookie, headers })
      assert.equal(status, 403, `${method} ${url} ${JSON.stringify(headers)} ${text}`)
      assert.match(text, /"cross_site_request"/)
    }
  assert.equal(upstream.length, asked)
  for (const one of ['cross-site', 'same-site'])
    assert.equal((await send('GET', '/api/things', { cookie, headers: { host, 'sec-fetch-site': one } })).status, 403)
  for (const headers of [{ host }, { host, 'sec-fetch-site': 'none' }, { host, 'sec-fetch-site': 'same-origin' }])
    assert.equal((await send('GET', '/api/things', { cookie, headers })).status, 200)
  const local = { ...ownPage, host: 'localhost:8080', origin: 'http://localhost:8080' }
  assert.equal((await send('POST', '/api/things', { cookie, body: {}, headers: local })).status, 201)
  // A bearer needs none of this, and its request does not use the cookie.
  const bearer = { host, authorization: 'Bearer good-token' }
  assert.equal(
    (await send('POST', '/api/things', { cookie: 'mesh-session-8080.1=1.A', body: {}, headers: bearer })).status,
    201,
  )
  assert.equal((await send('GET', '/api/things', { cookie, headers: { host, authorization: 'Basic x' } })).status, 401)
  assert.equal((await send('GET', '/api/things?token=x', { cookie })).status, 401)
})

test('an event stream ends with the session of its cookie', async (t) => {
  const { app, send, signIn, services } = await startSessions(t)
  const cookie = toCookie((await signIn()).cookies)
  const stream = app.inject({ method: 'GET', url: '/api/things/events', headers: { ...ownPage, cookie } })
  while (services.streams.size === 0) await new Promise(setImmediate)
  assert.equal((await send('DELETE', '/session', { cookie })).status, 204)
  assert.equal((await stream).statusCode, 200, 'ended by the server')
})
