import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { signInAtIssuer } from '#core/http/sessions/oidc/testing/start-issuer.ts'
import { startAuthorizationServer } from '../../testing/authorization-server.ts'
import type { AuthorizationServerOptions } from '../../testing/authorization-server.ts'
import { CONSOLE, openGrants } from '../../testing/grants-world.ts'
import type { Asking } from '../../testing/grants-world.ts'
import { startProtectedServer } from '../../testing/protected-server.ts'
import { keepClientSecret } from '../server/configured-clients.ts'
import { createGrantTokens } from '../tokens/grant-tokens.ts'
import { MAX_OPEN_CONSENTS } from './begin-consent.ts'

const REDIRECT = `${CONSOLE}/oauth/callback`

async function setUp(t: TestContext, options: AuthorizationServerOptions = {}, auth: object = {}) {
  const at = await startAuthorizationServer(t, options)
  const server = await startProtectedServer(t, at)
  const world = await openGrants(t)
  world.addServer('tickets', { url: server.url, auth: { kind: 'oauth', ...auth } })
  const begin = async (more: object = {}, by: Asking = {}): Promise<string> => {
    const { status, body, text } = await world.ask('POST', '/grant', { server: 'tickets', ...more }, by)
    assert.equal(status, 201, text)
    return String(body['authorizationUrl'])
  }
  const complete = (callback: URL, by: Asking = {}) =>
    world.ask('POST', '/complete', Object.fromEntries(callback.searchParams), by)
  const tokens = createGrantTokens(world.services)
  const key = { subject: 'ada', serverUid: 'uid-tickets', url: server.url }
  return { ...world, at, server, begin, complete, tokens, key }
}

test('OAuth: a person consents by dynamic registration, PKCE and resource; the grant has no token in any response, row, event or log', async (t) => {
  const { at, ask, begin, complete, tokens, key, rows, events, lines, outcomes } = await setUp(t)
  const address = new URL(await begin({ returnTo: '/runs/7?tab=log' }, { session: 'one' }))
  const asked = address.searchParams
  assert.equal(address.origin, at.issuer)
  assert.deepEqual(
    ['code_challenge_method', 'response_type', 'redirect_uri', 'resource', 'scope'].map((name) => asked.get(name)),
    ['S256', 'code', REDIRECT, key.url, 'tickets.read offline_access'],
  )
  const callback = await signInAtIssuer(address.href)
  assert.equal(callback.searchParams.get('iss'), at.issuer)
  const done = await complete(callback, { session: 'one' })
  assert.equal(done.status, 200, done.text)
  assert.deepEqual(
    [done.body['returnTo'], done.body['server'], done.body['usable']],
    ['/runs/7?tab=log', 'tickets', true],
  )
  const token = await tokens.find(key)
  assert.equal(await at.accountOf(token?.bearer ?? '', key.url), 'ada')
  const list = await ask('GET', '/grants')
  assert.equal((list.body['items'] as readonly unknown[]).length, 1)
  assert.deepEqual((await ask('GET', '/grants', undefined, { who: 'bob' })).body['items'], [])
  assert.deepEqual(await events(), ['dev.mesh.mcp.grant-created.v1'])
  const everything = JSON.stringify([list, done, await rows(), lines, outcomes])
  for (const secret of [token?.bearer ?? '?', callback.searchParams.get('code') ?? '?', asked.get('state') ?? '?'])
    assert.ok(secret.length > 10 && !everything.includes(secret))

  // Used up, by its own session, too.
  const again = await complete(callback, { session: 'one' })
  assert.deepEqual([again.status, again.body['code']], [409, 'consent_invalid'])
})

test('OAuth: a state of another person, another session or no session takes nothing, and the person can still end it', async (t) => {
  const { begin, complete } = await setUp(t)
  const callback = await signInAtIssuer(await begin({}, { session: 'one' }))
  for (const by of [{ who: 'bob', session: 'one' }, { who: 'bob' }, { session: 'two' }, {}]) {
    const { status, body } = await complete(callback, by)
    assert.deepEqual([status, body['code']], [409, 'consent_invalid'])
  }
  const changed = new URL(callback)
  changed.searchParams.set('state', 'x'.repeat(43))
  assert.equal((await complete(changed, { session: 'one' })).status, 409)
  changed.searchParams.delete('state')
  assert.equal((await complete(changed, { session: 'one' })).status, 400)
  assert.equal((await complete(callback, { session: 'one' })).status, 200)
})

test('OAuth: a configured client needs no registration; without either the error names the address to register', async (t) => {
  const client = {
    client_id: 'known',
    token_endpoint_auth_method: 'none',
    redirect_uris: [REDIRECT],
    application_type: 'native',
    grant_types: ['authorization_code', 'refresh_token'],
  }
  const configured = await setUp(t, { clients: [client], hasRegistration: false }, { clientId: 'known' })
  assert.equal((await configured.complete(await signInAtIssuer(await configured.begin()))).status, 200)
  assert.ok(!configured.at.requests.includes('/reg'))
  const without = await setUp(t, { hasRegistration: false })
  const { status, body } = await without.ask('POST', '/grant', { server: 'tickets' })
  assert.deepEqual([status, body['code']], [409, 'grant_client_missing'])
  assert.match(String(body['detail']), /127\.0\.0\.1:8080\/oauth\/callback/)
})

test('OAuth: a configured client with a secret; it is taken from the manager, also when it is rotated, and from no other address', async (t) => {
  for (const method of ['client_secret_basic', 'client_secret_post']) {
    const client = {
      client_id: 'known',
      client_secret: 'canary-first',
      token_endpoint_auth_method: method,
      redirect_uris: [REDIRECT],
      grant_types: ['authorization_code', 'refresh_token'],
    }
    const options = { clients: [client], hasRegistration: false, seconds: 20, methods: [method] }
    const world = await setUp(t, options, { clientId: 'known' })
    const { ask, addServer, begin, complete, tokens, key, services, at, rows, lines } = world
    const { url } = key
    const auth = { kind: 'oauth', clientId: 'known' } as const
    const secretRef = { name: 'client', key: 'secret' }
    addServer('tickets', { url, auth, secretRef })
    const none = await ask('POST', '/grant', { server: 'tickets' })
    assert.deepEqual([none.status, none.body['code']], [409, 'grant_client_missing'])
    assert.match(none.text, /ResolvedRefs/)
    const configured = { serverUid: key.serverUid, url, clientId: 'known' }
    await keepClientSecret(services, { ...configured, url: 'https://elsewhere.example' }, 'canary-first')
    assert.equal((await ask('POST', '/grant', { server: 'tickets' })).status, 409)
    await keepClientSecret(services, configured, 'canary-first')
    const done = await complete(await signInAtIssuer(await begin()))
    assert.equal(done.status, 200, done.text)
    assert.ok(!at.requests.includes('/reg'))

    await at.rotate('known', 'canary-second')
    await assert.rejects(tokens.find(key), { name: 'TokensRefused', code: 'invalid_client' })
    await keepClientSecret(services, configured, 'canary-second')
    const token = await tokens.find(key)
    assert.equal(await at.accountOf(token?.bearer ?? '', url), 'ada')
    assert.doesNotMatch(JSON.stringify([none, done, await rows(), lines]), /canary/)
    await keepClientSecret(services, configured, undefined)
    assert.equal((await ask('POST', '/grant', { server: 'tickets' })).status, 409)
  }
})

test('OAuth: a registration is made once, and a server without a challenge is found at its well-known address', async (t) => {
  const { at, server, begin } = await setUp(t)
  server.hideChallenge()
  await begin()
  await begin()
  assert.equal(at.requests.filter((path) => path === '/reg').length, 1)
})

test('OAuth: a server that lets anyone initialize is asked for its tools, and the consent has the scopes of that challenge', async (t) => {
  const { server, begin } = await setUp(t)
  server.challengeLate('tickets.write')
  const { searchParams } = new URL(await begin())
  assert.equal(searchParams.get('scope'), 'tickets.write offline_access')
})

test('M-7: 100 calls with an ended token make one refresh; the rotated refresh token is stored, and the next refresh uses it', async (t) => {
  const { at, begin, complete, tokens, key, services } = await setUp(t, { seconds: 20 })
  assert.equal((await complete(await signInAtIssuer(await begin()))).status, 200)
  const refreshes = (): number => at.requests.filter((path) => path === '/token').length - 1
  // A token that ends within 30 s is refreshed before its use; another process has its own memory.
  const other = createGrantTokens(services)
  const found = await Promise.all(
    Array.from({ length: 100 }, (_, number) => (number % 2 === 0 ? tokens : other).find(key)),
  )
  assert.equal(refreshes(), 1)
  assert.equal(new Set(found.map((token) => token?.bearer)).size, 1)
  const next = await tokens.find(key)
  assert.equal(refreshes(), 2)
  assert.notEqual(next?.bearer, found[0]?.bearer)
  assert.equal(await at.accountOf(next?.bearer ?? '', key.url), 'ada')
})

test('M-4: a revoked grant is gone here and at its server; a re-created server and another address inherit nothing', async (t) => {
  const { at, ask, begin, complete, tokens, key, addServer } = await setUp(t)
  await complete(await signInAtIssuer(await begin()))
  assert.equal(await tokens.find({ ...key, serverUid: 'uid-2' }), undefined)
  assert.equal(await tokens.find({ ...key, url: `${key.url}/other` }), undefined)
  assert.equal(await tokens.find({ ...key, subject: 'bob' }), undefined)
  const token = await tokens.find(key)
  assert.equal((await ask('DELETE', '/grant/tickets', undefined, { who: 'bob' })).status, 404)
  assert.equal((await ask('DELETE', '/grant/tickets')).status, 204)
  assert.equal(await at.accountOf(token?.bearer ?? '', key.url), undefined)
  assert.equal(await tokens.find(key), undefined)
  assert.equal((await ask('DELETE', '/grant/tickets')).status, 404)

  // The server is replaced while the person consents.
  const callback = await signInAtIssuer(await begin())
  addServer('tickets', { url: key.url, auth: { kind: 'oauth' } }, 'uid-2')
  assert.deepEqual((await complete(callback)).body['code'], 'consent_invalid')
})

test('OAuth: a person who declines ends the wait; two consents at once both end, and one grant is left', async (t) => {
  const denied = await setUp(t, { denies: true })
  const callback = await signInAtIssuer(await denied.begin())
  const { status, body } = await denied.complete(callback)
  assert.deepEqual([status, body['code']], [422, 'consent_denied'])
  assert.match(String(body['detail']), /access_denied/)
  assert.equal((await denied.complete(callback)).status, 409)

  const { begin, complete, rows } = await setUp(t)
  const [one, two] = [await signInAtIssuer(await begin()), await signInAtIssuer(await begin())]
  assert.deepEqual(
    (await Promise.all([complete(one), complete(two)])).map((done) => done.status),
    [200, 200],
  )
  assert.equal((await rows()).length, 1)
})

test('OAuth: rights, servers without grants, hostile bodies and too many open consents are refused', async (t) => {
  const { ask, refused, addServer, begin, complete } = await setUp(t)
  addServer('plain', { url: 'https://tools.example.com/mcp' })
  const code = async (body: object, by: Asking = {}) => {
    const answer = await ask('POST', '/grant', body, by)
    return [answer.status, answer.body['code']]
  }
  assert.deepEqual(await code({ server: 'plain' }), [409, 'grant_not_supported'])
  assert.deepEqual(await code({ server: 'none' }), [404, 'not_found'])
  for (const returnTo of [
    '//evil',
    '/\\evil',
    'https://evil',
    '/a b',
    '/a\u0000',
    '',
    '/\ud800',
    `/${'a'.repeat(2_000)}`,
  ])
    assert.equal((await code({ server: 'tickets', returnTo }))[0], 400, returnTo)
  for (const body of [
    {},
    { server: '../x' },
    { server: 'a\0b' },
    { server: 7 },
    { server: 'tickets', scopes: ['a b'] },
  ])
    assert.ok([400, 422].includes(Number((await code(body))[0])), JSON.stringify(body))
  const callback = await signInAtIssuer(await begin())
  refused.add('ada create mcpgrants')
  assert.equal((await code({ server: 'tickets' }))[0], 403)
  assert.equal((await complete(callback)).status, 403, 'a right that was withdrawn meanwhile')
  refused.clear()
  for (let open = 0; open < MAX_OPEN_CONSENTS; open += 1) await begin({}, { who: 'eve' })
  assert.deepEqual(await code({ server: 'tickets' }, { who: 'eve' }), [429, 'grant_quota_exceeded'])
  assert.equal((await code({ server: 'tickets' }))[0], 201, 'others are unaffected')
})
