import assert from 'node:assert/strict'
import test from 'node:test'
import type { StoredEvent } from '#core/event-store/event.ts'
import { createStore } from '#core/event-store/create-store.ts'
import type { Reader, Store } from '#core/event-store/store.ts'
import type { Access } from '#core/cluster/caller.ts'
import { createEventFeed } from './event-feed.ts'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { note } from '#core/event-store/testing/notes.ts'

const FOLLOWERS = 50

const cluster = [{ namespace: '' } as Access<'watch', 'events'>]

/** A store whose reads are counted. */
function counted(store: Store) {
  const count = { reads: 0 }
  const reader = <Tables>(): Reader<Tables> =>
    new Proxy(store.reader<Tables>(), {
      get: (target, key) => {
        if (key === 'selectFrom') count.reads++
        const value: unknown = Reflect.get(target, key)
        return typeof value === 'function' ? (value.bind(target) as unknown) : value
      },
    })
  return { count, store: { ...store, reader } }
}

for (const adapter of pluginAdapters) {
  test(`SEC5, ${adapter.name}: followers share reads of new events`, { skip: adapter.skip }, async (t) => {
    const { store, count } = counted(createStore(await adapter.open(t), { projections: [] }))
    const feed = createEventFeed(store)
    const append = (n: number) => store.transact((tx) => tx.append(`s/${n}`, 0, [note(n)]))
    await append(1)
    const end = new AbortController()
    t.after(() => end.abort())
    const followers = Array.from({ length: FOLLOWERS }, () => feed.follow(cluster, 0n, end.signal))
    const nextOf = async (): Promise<readonly number[]> => {
      const pages = await Promise.all(followers.map((one) => one.next()))
      return pages.flatMap(({ value }) => numbersOf(value))
    }
    assert.deepEqual(
      await nextOf(),
      Array.from({ length: FOLLOWERS }, () => 1),
      'each follower replays on its own',
    )
    const before = count.reads
    const pending = nextOf()
    await append(2)
    assert.deepEqual(
      await pending,
      Array.from({ length: FOLLOWERS }, () => 2),
    )
    // At least a head and a page; a fallback read may come between. One read each would be 50.
    assert.ok(count.reads - before <= 8, `${count.reads - before} reads`)
    end.abort()
    for (const { done } of await Promise.all(followers.map((one) => one.next()))) assert.equal(done, true)
  })

  test(
    `SEC5, ${adapter.name}: a follower receives every event once and in order, however far it lags`,
    { skip: adapter.skip },
    async (t) => {
      const store = createStore(await adapter.open(t), { projections: [] })
      const append = async (from: number, to: number): Promise<void> => {
        for (let n = from; n < to; n += 50)
          await store.transact((tx) =>
            tx.appendEach(
              Array.from({ length: 50 }, (_, index) => ({ stream: `s/${n + index}`, event: note(n + index) })),
            ),
          )
      }
      await append(0, 100)
      const end = new AbortController()
      t.after(() => end.abort())
      const feed = createEventFeed(store)
      const slow = feed.follow(cluster, 0n, end.signal)
      const first = numbersOf((await slow.next()).value)
      assert.equal(first.length, 100)
      const read = async (pages: AsyncIterable<readonly StoredEvent[]>, seen: number[]): Promise<readonly number[]> => {
        for await (const page of pages) if (seen.push(...numbersOf(page)) >= 4_000) break
        return seen
      }
      const fast = [read(feed.follow(cluster, 0n, end.signal), []), read(feed.follow(cluster, 0n, end.signal), [])]
      await append(100, 4_000)
      const all = await Promise.all(fast)
      // The slow follower has more pages waiting than its bound.
      all.push(await read(slow, [...first]))
      for (const seen of all)
        assert.deepEqual(
          seen,
          Array.from({ length: 4_000 }, (_, n) => n),
        )
    },
  )
}

function numbersOf(page: readonly StoredEvent[] | undefined): readonly number[] {
  return (page ?? []).map(({ data }) => (data as { n: number }).n)
}
