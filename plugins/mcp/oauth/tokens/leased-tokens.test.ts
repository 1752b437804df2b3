import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { signInAtIssuer } from '#core/http/sessions/oidc/testing/start-issuer.ts'
import { startAuthorizationServer } from '../../testing/authorization-server.ts'
import type { AuthorizationServerOptions } from '../../testing/authorization-server.ts'
import { openGrants } from '../../testing/grants-world.ts'
import { startProtectedServer } from '../../testing/protected-server.ts'
import { createGrantTokens } from './grant-tokens.ts'
import { GRANT_LEASE_MS, createLeasedTokens } from './leased-tokens.ts'

/** A person who has consented, and two processes with counted reads. */
async function setUp(t: TestContext, options: AuthorizationServerOptions = {}) {
  const at = await startAuthorizationServer(t, options)
  const server = await startProtectedServer(t, at)
  const world = await openGrants(t)
  world.addServer('tickets', { url: server.url, auth: { kind: 'oauth' } })
  const consent = async (): Promise<void> => {
    const begun = await world.ask('POST', '/grant', { server: 'tickets' })
    const callback = await signInAtIssuer(String(begun.body['authorizationUrl']))
    const done = await world.ask('POST', '/complete', Object.fromEntries(callback.searchParams))
    assert.equal(done.status, 200, done.text)
  }
  let reads = 0
  const reader: typeof world.services.store.reader = () => {
    reads += 1
    return world.services.store.reader()
  }
  const store = { ...world.services.store, reader }
  const processes = [1, 2].map(() => createGrantTokens({ ...world.services, store }))
  const key = { subject: 'ada', serverUid: 'uid-tickets', url: server.url }
  await consent()
  const find = () => Promise.all(processes.map((tokens) => tokens.find(key)))
  return { ...world, at, server, key, consent, find, readsOf: () => reads }
}

test('M-4: when a revocation is confirmed, no process uses tokens that it has read before, whether their server answers or not', async (t) => {
  const { at, ask, find, readsOf, server, key } = await setUp(t)
  const first = await find()
  const reads = readsOf()
  assert.deepEqual(await find(), first)
  assert.equal(readsOf(), reads, 'found again without a read')
  const startedAt = performance.now()
  assert.equal((await ask('DELETE', '/grant/tickets')).status, 204)
  assert.deepEqual(await find(), [undefined, undefined])
  assert.ok(performance.now() - startedAt >= GRANT_LEASE_MS)
  assert.equal(await at.accountOf(first[0]?.bearer ?? '', key.url), undefined)
  assert.deepEqual(server.calls, [])
})

test('M-4: when a consent of another account is complete, no process uses the token of the former one', async (t) => {
  const { at, consent, find, key } = await setUp(t)
  await find()
  at.as('root')
  await consent()
  for (const token of await find()) assert.equal(await at.accountOf(token?.bearer ?? '', key.url), 'root')
})

test('M-4: tokens of a refresh that a consent overtook are revoked at their server, and those of the consent are used', async (t) => {
  const { at, consent, find, key, rows } = await setUp(t, { seconds: 20 })
  at.beforeTokens(consent)
  const found = await find()
  assert.equal(new Set(found.map((token) => token?.bearer)).size, 1)
  assert.equal(await at.accountOf(found[0]?.bearer ?? '', key.url), 'ada')
  assert.equal(at.requests.filter((path) => path === '/token/revocation').length, 2)
  assert.deepEqual(
    (await rows()).map(({ is_usable: isUsable }) => isUsable),
    [true],
  )
})

test('a process keeps 1,000 tokens for the time of their lease, which begins before they are read', () => {
  const leased = createLeasedTokens<object>()
  const keyOf = (number: number) => ({ subject: `user-${number}`, serverUid: 'uid', url: 'https://tools.example.com' })
  const token = { bearer: 'x' }
  const now = performance.now()
  for (let number = 0; number < 1_001; number += 1) leased.keep(keyOf(number), token, now)
  assert.deepEqual([leased.find(keyOf(0)), leased.find(keyOf(1_000))], [undefined, token])
  leased.keep(keyOf(1_000), token, now - GRANT_LEASE_MS)
  assert.equal(leased.find(keyOf(1_000)), undefined)
  leased.keep(keyOf(5), token, now)
  leased.forget(keyOf(5))
  assert.equal(leased.find(keyOf(5)), undefined)
})
