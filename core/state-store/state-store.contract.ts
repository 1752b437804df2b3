import assert from 'node:assert/strict'
import test, { describe } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { mapConcurrently } from '#core/async/map-concurrently.ts'
import type { ListLimits, StateStore } from './state-store.ts'

/** A store of one test; `advance` lets time pass by its clock. */
export interface OpenedStore {
  readonly store: StateStore
  advance(ms: number): Promise<void>
}

/** An adapter of the state store. */
export interface StateStoreAdapter {
  readonly name: string
  readonly skip: string | false
  open(t: Pick<test.TestContext, 'after' | 'skip'>): Promise<OpenedStore>
}

const limits: ListLimits = {
  ttlMs: 60_000,
  maxListBytes: 1_000,
  maxListEntries: 100,
  maxGroupBytes: 5_000,
  maxGroupLists: 50,
  maxSpaceBytes: 1e9,
  maxSpaceLists: 10_000,
}

// The pairs collide in an adapter that joins or splits names.
const odd = ['', 'a', 'b:l:c', '{x}', 'a}b', '*', '?', '\0', 'ü💥', ' \r\n', 'l:', '__proto__', 'x'.repeat(512)]

/** Behaviour shared by the adapters of the state store. */
export function stateStoreContract(adapter: StateStoreAdapter): void {
  // All at once, since time passes by itself on a server.
  describe(adapter.name, { concurrency: true }, () => declareTests(adapter))
}

function declareTests({ skip, open }: StateStoreAdapter): void {
  const check = (behaviour: string, fn: (store: OpenedStore) => Promise<void>): void => {
    test(behaviour, { skip, timeout: 60_000 }, async (t) => fn(await open(t)))
  }

  check('a list returns what was appended, in order, and nothing of another name', async ({ store: { lists } }) => {
    const wide = { ...limits, maxListBytes: 10_000, maxGroupBytes: 100_000 }
    const odds = odd.flatMap((space) => odd.map((group) => ({ space, group })))
    const some = odds.filter(({ space, group }) => space === '' || group === '' || space === group)
    for (const name of some)
      for (const list of odd) {
        assert.deepEqual(await lists.append({ ...name, list }, JSON.stringify([name, list]), wide), { length: 1 })
        assert.deepEqual(await lists.append({ ...name, list }, '💥\0"', wide), { length: 2 })
      }
    for (const name of some) {
      for (const list of odd)
        assert.deepEqual(await lists.read({ ...name, list }), [JSON.stringify([name, list]), '💥\0"'])
      assert.equal((await lists.usage(name)).lists, odd.length)
    }
    assert.deepEqual(await lists.read({ space: 's', group: 'a', list: 'unknown' }), [])
  })

  check('appends at once are each stored once, and their lengths are distinct', async ({ store: { lists } }) => {
    const name = { space: 's', group: 'g', list: 'l' }
    const wide = { ...limits, maxListEntries: 1_000, maxGroupBytes: 1e6, maxListBytes: 1e6 }
    const done = await Promise.all(Array.from({ length: 200 }, (_, index) => lists.append(name, `${index}`, wide)))
    const lengths = done.map((one) => ('length' in one ? one.length : 0)).toSorted((a, b) => a - b)
    assert.deepEqual(
      lengths,
      Array.from({ length: 200 }, (_, index) => index + 1),
    )
    assert.equal(new Set(await lists.read(name)).size, 200)
  })

  check('each bound of a list and a group refuses an append without effect', async ({ store: { lists } }) => {
    const append = (list: string, value: string, own: Partial<ListLimits>) =>
      lists.append({ space: 's', group: 'g', list }, value, { ...limits, ...own })
    await append('a', 'ü'.repeat(5), {})
    assert.deepEqual(await append('a', 'x', { maxListBytes: 10 }), { exceeded: 'list-bytes' })
    assert.deepEqual(await append('a', 'x', { maxListBytes: 11 }), { length: 2 })
    assert.deepEqual(await append('b', 'xx', { maxGroupBytes: 12 }), { exceeded: 'group-bytes' })
    assert.deepEqual(await append('b', 'x', { maxGroupLists: 1 }), { exceeded: 'group-lists' })
    assert.deepEqual(await append('a', 'x', { maxGroupLists: 1 }), { length: 3 })
    assert.deepEqual(await lists.usage({ space: 's', group: 'g' }), { bytes: 12, lists: 1 })
    assert.deepEqual(await lists.usage({ space: 's', group: 'other' }), { bytes: 0, lists: 0 })
  })

  check('a list keeps its newest entries, and the bytes of dropped ones are free', async ({ store: { lists } }) => {
    const name = { space: 's', group: 'g', list: 'l' }
    const few = { ...limits, maxListEntries: 2, maxGroupBytes: 12 }
    for (const value of ['1', '22', '333']) await lists.append(name, value, few)
    assert.deepEqual(await lists.append(name, '4444', few), { length: 2 })
    assert.deepEqual(await lists.read(name), ['333', '4444'])
    assert.deepEqual(await lists.usage({ space: 's', group: 'g' }), { bytes: 7, lists: 1 })
    assert.deepEqual(await lists.append(name, 'x'.repeat(6), few), { exceeded: 'group-bytes' })
    assert.deepEqual(await lists.read(name), ['333', '4444'], 'a refused append drops nothing')
  })

  check('a list expires as a whole, later after each append, and returns its bytes', async ({ store, advance }) => {
    const name = { space: 's', group: 'g', list: 'l' }
    const short = { ...limits, ttlMs: 4_000, maxGroupBytes: 4 }
    await store.lists.append(name, 'one', short)
    await advance(2_300)
    await store.lists.append(name, '2', short)
    await advance(2_300)
    assert.deepEqual(await store.lists.read(name), ['one', '2'])
    await advance(2_000)
    assert.deepEqual(await store.lists.read(name), [])
    assert.deepEqual(await store.lists.usage({ space: 's', group: 'g' }), { bytes: 0, lists: 0 })
    assert.deepEqual(await store.lists.append(name, 'four', short), { length: 1 })
  })

  check('the newest lists come first, and removing a group leaves other groups', async ({ store: { lists } }) => {
    for (const list of ['a', 'b', 'c', 'a']) {
      await lists.append({ space: 's', group: 'g', list }, 'xy', limits)
      await delay(3)
    }
    await lists.append({ space: 's', group: 'h', list: 'a' }, 'x', limits)
    const newest = await lists.newest({ space: 's', group: 'g' }, 2)
    assert.deepEqual(
      newest.map(({ list, bytes }) => [list, bytes]),
      [
        ['a', 4],
        ['c', 2],
      ],
    )
    const [{ expiresInMs } = { expiresInMs: 0 }] = newest
    assert.ok(expiresInMs > 0 && expiresInMs <= limits.ttlMs)
    assert.equal(await lists.remove({ space: 's', group: 'g', list: 'a' }), true)
    assert.equal(await lists.remove({ space: 's', group: 'g', list: 'a' }), false)
    assert.deepEqual(await lists.usage({ space: 's', group: 'g' }), { bytes: 4, lists: 2 })
    await lists.removeGroup({ space: 's', group: 'g' })
    assert.deepEqual(await lists.usage({ space: 's', group: 'g' }), { bytes: 0, lists: 0 })
    assert.deepEqual(await lists.read({ space: 's', group: 'g', list: 'b' }), [])
    assert.deepEqual(await lists.read({ space: 's', group: 'h', list: 'a' }), ['x'])
  })

  check('removing a group of more lists than one step removes all of them', async ({ store: { lists } }) => {
    const names = Array.from({ length: 1_101 }, (_, index) => ({ space: 's', group: 'g', list: `${index}` }))
    // A few at a time: each call has two seconds, also on a busy machine.
    await mapConcurrently(names, (one) => lists.append(one, 'x', { ...limits, maxGroupLists: 2_000 }))
    await lists.removeGroup({ space: 's', group: 'g' })
    const left = await mapConcurrently(names, (one) => lists.read(one))
    assert.deepEqual(left.flat(), [])
    assert.equal(left.length, names.length)
  })

  check('F4: groups of a space share its bounds, and other spaces are not affected', async ({ store }) => {
    const { lists } = store
    const append = (at: string, list: string, value: string, own: Partial<ListLimits> = {}) =>
      lists.append({ space: at.slice(0, 1), group: at.slice(1), list }, value, { ...limits, ...own })
    await append('sg', 'a', '12345')
    await append('sh', 'a', '12345')
    assert.deepEqual(await append('si', 'a', 'x', { maxSpaceBytes: 10 }), { exceeded: 'space-bytes' })
    assert.deepEqual(await append('si', 'a', 'x', { maxSpaceLists: 2 }), { exceeded: 'space-lists' })
    assert.deepEqual(await append('tg', 'a', 'x', { maxSpaceBytes: 10, maxSpaceLists: 2 }), { length: 1 })
    assert.deepEqual(await append('sg', 'a', 'x', { maxSpaceBytes: 11, maxSpaceLists: 2 }), { length: 2 })
    assert.deepEqual(await lists.usage({ space: 's', group: 'i' }), { bytes: 0, lists: 0 }, 'refused without effect')
    await lists.removeGroup({ space: 's', group: 'g' })
    assert.deepEqual(await append('si', 'a', '12345', { maxSpaceBytes: 10, maxSpaceLists: 2 }), { length: 1 })
    assert.deepEqual(await append('si', 'b', '1', { maxSpaceBytes: 10 }), { exceeded: 'space-bytes' })
  })

  check('F4: expired lists of other groups free the space', async ({ store: { lists }, advance }) => {
    const tight = { ...limits, ttlMs: 2_000, maxSpaceBytes: 10, maxSpaceLists: 1 }
    await lists.append({ space: 's', group: 'g', list: 'l' }, '1234567890', tight)
    const other = { space: 's', group: 'h', list: 'l' }
    assert.deepEqual(await lists.append(other, '1', tight), { exceeded: 'space-bytes' })
    await advance(2_100)
    assert.deepEqual(await lists.append(other, '1234567890', tight), { length: 1 })
  })

  check('a list that drops its oldest entries accepts what fits alone', async ({ store: { lists } }) => {
    const name = { space: 's', group: 'g', list: 'l' }
    const dropping = { ...limits, maxListBytes: 10, dropsOldest: true }
    for (const value of ['1111', '2222', '333']) await lists.append(name, value, dropping)
    assert.deepEqual(await lists.read(name), ['2222', '333'])
    assert.deepEqual(await lists.append(name, 'x'.repeat(11), dropping), { exceeded: 'list-bytes' })
    assert.deepEqual(await lists.append(name, 'x'.repeat(10), dropping), { length: 1 })
    assert.deepEqual(await lists.usage(name), { bytes: 10, lists: 1 })
  })

  check('B6: at most `limit` calls at once, and a place is freed once', async ({ store: { admissions } }) => {
    const leases = [{ key: 'calls', limit: 3, ttlMs: 60_000 }]
    const ids = Array.from({ length: 20 }, (_, index) => `call-${index}`)
    const got = await Promise.all(ids.map((id) => admissions.acquire({ group: 'g', id, leases })))
    assert.equal(got.filter(({ admitted }) => admitted).length, 3)
    const refused = got.find(({ admitted }) => !admitted)
    assert.ok(refused?.admitted === false && refused.kind === 'concurrency' && refused.key === 'calls')
    assert.ok(refused.retryAfterMs >= 1 && refused.retryAfterMs <= 1_000)
    const held = { group: 'g', id: ids[got.findIndex(({ admitted }) => admitted)] ?? '', keys: ['calls'] }
    assert.deepEqual([await admissions.release(held), await admissions.release(held)], [true, false])
    assert.equal((await admissions.acquire({ group: 'g', id: 'next', leases })).admitted, true)
    assert.equal((await admissions.acquire({ group: 'g', id: 'more', leases })).admitted, false)
    assert.equal((await admissions.acquire({ group: 'h', id: 'more', leases })).admitted, true, 'another group')
    assert.deepEqual((await admissions.usage({ group: 'g', leases: ['calls', 'none'] })).leases, { calls: 3, none: 0 })
  })

  check('B6: a lease is free after its time, unless it is renewed', async ({ store: { admissions }, advance }) => {
    const leases = [{ key: 'calls', limit: 1, ttlMs: 4_000 }]
    const held = { group: 'g', id: 'one', keys: ['calls'] }
    const taken = async (): Promise<boolean> => !(await admissions.acquire({ group: 'g', id: 'two', leases })).admitted
    await admissions.acquire({ group: 'g', id: 'one', leases })
    await advance(2_300)
    assert.equal(await admissions.renew({ ...held, ttlMs: 4_000 }), true)
    await advance(2_300)
    assert.equal(await taken(), true)
    await advance(2_000)
    assert.equal(await taken(), false)
    assert.equal(await admissions.renew({ ...held, ttlMs: 4_000 }), false, 'the place belongs to another call')
    assert.equal(await admissions.release(held), false)
    assert.equal((await admissions.usage({ group: 'g', leases: ['calls'] })).leases['calls'], 1)
  })

  check('B6: never more than the limit of a rate in any window', async ({ store: { admissions }, advance }) => {
    const rates = [{ key: 'rpm', limit: 5, windowMs: 4_800 }]
    const acquire = (id: string) => admissions.acquire({ group: 'g', id, rates })
    const admitted = async (count: number): Promise<number> => {
      const got = await Promise.all(Array.from({ length: count }, (_, index) => acquire(`${index}`)))
      return got.filter((one) => one.admitted).length
    }
    assert.equal(await admitted(2), 2)
    await advance(2_400)
    assert.equal(await admitted(9), 3)
    const refusal = await acquire('x')
    assert.ok(!refusal.admitted && refusal.kind === 'rate' && refusal.key === 'rpm')
    assert.ok(refusal.retryAfterMs > 0 && refusal.retryAfterMs <= 2_500, `${refusal.retryAfterMs}`)
    assert.equal((await admissions.usage({ group: 'g', rates: [{ key: 'rpm', windowMs: 4_800 }] })).rates['rpm'], 5)
    await advance(refusal.retryAfterMs + 1)
    assert.equal(await admitted(9), 2, 'only the first two have left the window')
  })

  check('a refused call takes nothing, and a repeated one is counted once', async ({ store: { admissions } }) => {
    const rates = [{ key: 'rpm', limit: 2, windowMs: 60_000 }]
    const leases = [{ key: 'calls', limit: 1, ttlMs: 60_000 }]
    const acquire = (id: string) => admissions.acquire({ group: 'g', id, rates, leases })
    for (let tries = 0; tries < 5; tries++) assert.equal((await acquire('one')).admitted, true)
    for (let tries = 0; tries < 5; tries++) assert.equal((await acquire('two')).admitted, false)
    const usage = await admissions.usage({ group: 'g', rates, leases: ['calls'] })
    assert.deepEqual(usage, { rates: { rpm: 1 }, leases: { calls: 1 } })
    await admissions.release({ group: 'g', id: 'one', keys: ['calls'] })
    assert.equal((await acquire('two')).admitted, true)
    await admissions.release({ group: 'g', id: 'two', keys: ['calls'] })
    const third = await acquire('three')
    assert.ok(!third.admitted && third.kind === 'rate')
    assert.equal((await admissions.usage({ group: 'g', leases: ['calls'] })).leases['calls'], 0)
  })
}
