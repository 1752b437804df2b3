import assert from 'node:assert/strict'
import test from 'node:test'
import { needs } from '#test/harness/find-server.ts'
import { startRedis } from '#test/harness/redis.ts'
import { createMemoryStateStore } from './memory-store.ts'
import { openRedisStore } from './redis-store.ts'
import { parseRedisUrl } from './redis-url.ts'
import { stateStoreContract } from './state-store.contract.ts'
import { openRedis, stateStores, untilConnected } from './testing/adapters.ts'

for (const adapter of stateStores()) stateStoreContract(adapter)

const limits = {
  ttlMs: 60_000,
  maxListBytes: 1e6,
  maxListEntries: 1e5,
  maxGroupBytes: 1e6,
  maxGroupLists: 100,
  maxSpaceBytes: 1e9,
  maxSpaceLists: 1e4,
}
const name = { space: 's', group: 'g', list: 'l' }
const unavailable = { code: 'state_store_unavailable' }

test('the in-process store refuses what exceeds its bytes, and accepts again once lists have expired', async () => {
  let now = 0
  const { lists } = createMemoryStateStore({ maxBytes: 10_000, now: () => now })
  const own = { ...limits, maxGroupBytes: 1e9 }
  const append = (space: string, list: string, value: string) => lists.append({ space, group: 'g', list }, value, own)
  for (let space = 0; space < 9; space++) await append(`${space}`, 'l', 'x'.repeat(800))
  assert.deepEqual(await append('new', 'l', 'x'.repeat(900)), { exceeded: 'store' })
  now += 60_001
  assert.deepEqual(await append('new', 'l', 'x'.repeat(900)), { length: 1 })
  for (let list = 0; list < 99; list++) await append('small', `${list}`, '')
  assert.ok((await lists.usage({ space: 'small', group: 'g' })).lists < 50, 'lists without bytes are bounded too')
  assert.deepEqual(await append('other', 'l', 'x'.repeat(900)), { length: 1 }, 'F4: one space leaves room for others')
})

test('the in-process store looks through a group when a list may have expired, not at every call', async () => {
  let [now, reads] = [0, 0]
  const clock = (): number => {
    reads++
    return now
  }
  const { lists } = createMemoryStateStore({ now: clock })
  const own = { ...limits, maxGroupLists: 1e4 }
  const append = (list: string, ttlMs: number) => lists.append({ ...name, list }, 'x', { ...own, ttlMs })
  for (let list = 0; list < 500; list++) await append(`${list}`, 60_000)
  await append('short', 1_000)
  reads = 0
  await append('499', 60_000)
  await lists.read({ ...name, list: '499' })
  assert.ok(reads < 10, `${reads} reads of the clock beside 500 lists`)
  now = 1_000
  assert.equal((await lists.usage(name)).lists, 500, 'a list of a shorter time ends before older ones')
  now = 60_000
  assert.equal((await lists.usage(name)).lists, 0)
})

test('REDIS_URL: addresses, and errors that do not quote it', () => {
  assert.deepEqual(parseRedisUrl('redis://a'), { host: 'a', port: 6379, tls: false, database: 0 })
  const full = { host: '::1', port: 6380, tls: true, database: 2, username: 'u', password: 'p@ss' }
  assert.deepEqual(parseRedisUrl('rediss://u:p%40ss@[::1]:6380/2'), full)
  assert.equal(parseRedisUrl('valkeys://a').tls, true)
  for (const wrong of [
    '',
    'a:6379',
    'http://p4ss@a',
    'redis://',
    'redis://u:p4ss@a/x',
    'redis://u:p4ss%zz@a',
    'redis://u:p4ss@a?db=1',
    'redis://u:p4ss@a:99999',
  ])
    assert.throws(() => parseRedisUrl(wrong), /^SettingsError: REDIS_URL: (?:must be redis|user and)(?!.*p4ss)/, wrong)
})

test('redis: without a server calls fail at once, and work once it is reachable', needs('redis-server'), async (t) => {
  const server = await startRedis(t)
  await server.stop()
  const store = openRedisStore(parseRedisUrl(server.url), 'test')
  t.after(() => store.close())
  await assert.rejects(store.lists.read(name), unavailable)
  await assert.rejects(store.check(), unavailable)
  await server.restart()
  await untilConnected(store)
  assert.deepEqual(await store.lists.append(name, 'x', limits), { length: 1 })
})

test('redis: a wrong password is reported without the password', needs('redis-server'), async (t) => {
  const server = await startRedis(t, ['--requirepass', 'right-secret'])
  const warned = Promise.withResolvers<unknown>()
  const log = { warn: (fields: unknown) => warned.resolve(fields) } as never
  const { port } = new URL(server.url)
  const refused = openRedisStore(parseRedisUrl(`redis://:wr0ng@127.0.0.1:${port}`), 'test', { log })
  t.after(() => refused.close())
  assert.deepEqual(await warned.promise, { error: 'WRONGPASS' })
  await assert.rejects(refused.check(), unavailable)
  await openRedis(t, `redis://:right-secret@127.0.0.1:${port}`)
})

test('redis: a frozen server costs each caller its deadline, later ones nothing, and works again', async (t) => {
  const { skip } = needs('redis-server')
  if (skip !== false) return t.skip(skip)
  const server = await startRedis(t)
  const store = await openRedis(t, server.url)
  await server.freeze()
  // The process may respond a few times more before the signal arrives.
  const appendUntilFrozen = async (): Promise<never> => {
    for (;;) await store.lists.append(name, 'x', limits)
  }
  await assert.rejects(appendUntilFrozen, unavailable)
  // Without the state of the connection each of these would wait for the deadline too.
  const again = performance.now()
  for (let call = 0; call < 20; call++) await assert.rejects(store.lists.read(name), unavailable)
  assert.ok(performance.now() - again < 15_000)
  server.thaw()
  await untilConnected(store)
  assert.ok((await store.lists.read(name)).every((value) => value === 'x'))
})

test('redis: a full server refuses appends with the code only', needs('redis-server'), async (t) => {
  const server = await startRedis(t, ['--maxmemory', '1'])
  const store = await openRedis(t, server.url)
  await assert.rejects(store.lists.append(name, 'a-secret-value', limits), {
    ...unavailable,
    message: 'The state store refused a command: OOM.',
  })
})

test('redis: keys that the server has evicted leave no debt', needs('redis-server'), async (t) => {
  const server = await startRedis(t)
  const store = await openRedis(t, server.url)
  const { createClient } = await import('@redis/client')
  const direct = createClient({ url: server.url })
  direct.on('error', () => undefined)
  await direct.connect()
  t.after(() => direct.destroy())
  const tight = { ...limits, maxGroupBytes: 10 }
  await store.lists.append(name, '1234567890', tight)
  const keyEndingIn = async (end: string): Promise<string> => (await direct.keys(`*${end}`))[0] ?? ''
  await direct.del(await keyEndingIn(':l'))
  assert.deepEqual(await store.lists.append(name, '1234567890', tight), { length: 1 })
  for (const key of await direct.keys('*:x:*')) await direct.del(key)
  assert.deepEqual(await store.lists.append(name, '1', { ...tight, maxGroupBytes: 20 }), { length: 2 })
  assert.deepEqual(await store.lists.usage(name), { bytes: 11, lists: 1 })
})
