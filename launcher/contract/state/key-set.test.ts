import assert from 'node:assert/strict'
import test from 'node:test'
import { generateKeyPairSync } from 'node:crypto'
import type { webcrypto } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent } from 'undici'
import type { Scope } from '#test/harness/scope.ts'
import { Refusal } from '../http/refusal.ts'
import { anyObject, list, reply } from '#schemas/wire/schema.ts'
import { statePath } from '#schemas/wire/state-path.ts'
import { createKeySet } from './key-set.ts'

const keySetPath = statePath({ method: 'GET', path: '/jwks', status: 200, response: reply({ keys: list(anyObject) }) })

const pair = generateKeyPairSync('ed25519')
const good = { ...pair.publicKey.export({ format: 'jwk' }), kid: 'k1', use: 'sig', alg: 'EdDSA' }

/** A state role that answers `/jwks` with any text, and a key set with a manual clock. */
async function start(t: Scope, first: unknown) {
  const state = { body: JSON.stringify(first), status: 200, asked: 0 }
  const server = createServer((_, response) => {
    state.asked++
    response.writeHead(state.status).end(state.body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const pool = new Agent()
  t.after(async () => {
    await pool.destroy()
    server.close()
  })
  const clock = { now: 0 }
  const { port } = server.address() as AddressInfo
  const keys = createKeySet({
    stateUrl: `http://127.0.0.1:${port}`,
    path: keySetPath,
    dispatcher: async () => pool,
    now: () => clock.now,
  })
  return { state, clock, find: keys.find }
}

const unavailable = (error: unknown) => error instanceof Refusal && error.code === 'keys_unavailable'

test('key set: a private, foreign or malformed key is not used, and does not hide the others', async (t) => {
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' })
  const bad: object[] = [
    { ...pair.privateKey.export({ format: 'jwk' }), kid: 'private' },
    { ...ec, kid: 'ec' },
    { kty: 'oct', k: 'AAAA', kid: 'secret', alg: 'HS256' },
    { ...good, kid: 'encrypts', use: 'enc' },
    { ...good, kid: 'signs', key_ops: ['sign'] },
    { ...good, kid: 'other algorithm', alg: 'ES256' },
    { ...good, kid: 'other curve', crv: 'Ed448' },
    { ...good, kid: 'short', x: 'AAAA' },
    { ...good, kid: 'no x', x: undefined },
    { ...good, kid: 'number', x: 5 },
    { ...good, kid: 'twice' },
    { ...good, kid: 'twice' },
    { ...good, kid: 5 },
    { kid: '\0\ud800' },
    {},
  ]
  const { find } = await start(t, { keys: [...bad, good] })
  assert.equal(((await find('k1')) as webcrypto.CryptoKey).algorithm.name, 'Ed25519')
  for (const { kid } of bad as { kid?: unknown }[]) assert.equal(await find(String(kid)), undefined, String(kid))
  assert.equal(await find('__proto__'), undefined)
})

test('key set: an answer that is no key set is 503 without keys, and leaves the former keys valid', async (t) => {
  const { state, clock, find } = await start(t, {})
  const answers = ['', '[]', 'null', '{"keys":5}', '{"keys":[5]}', '{"keys":[null]}', '\0', '['.repeat(1000)]
  for (const body of [...answers, JSON.stringify({ keys: [good], more: 'x'.repeat(300 * 1024) })]) {
    state.body = body
    await assert.rejects(find('k1'), unavailable, body.slice(0, 20))
  }
  state.status = 500
  await assert.rejects(find('k1'), unavailable)
  Object.assign(state, { status: 200, body: JSON.stringify({ keys: [good] }) })
  assert.ok(await find('k1'))
  for (const body of answers) {
    clock.now += 10 * 60_000
    state.body = body
    assert.ok(await find('k1'), `the cached key, after ${body.slice(0, 20)}`)
  }
})

test('key set: forged ids fetch it at most once per second, and a revoked key is gone after five minutes', async (t) => {
  const { state, clock, find } = await start(t, { keys: [good] })
  await Promise.all(Array.from({ length: 50 }, (_, index) => find(`forged ${index}`)))
  assert.equal(state.asked, 1)
  clock.now += 999
  for (let index = 0; index < 50; index++) await find(`forged ${index}`)
  assert.equal(state.asked, 1)
  clock.now += 1
  await find('forged')
  assert.equal(state.asked, 2)
  state.body = '{"keys":[]}'
  assert.ok(await find('k1'))
  clock.now += 5 * 60_000 + 1
  assert.equal(await find('k1'), undefined)
})
