import type { AccessScope } from '#core/cluster/caller.ts'
import type { StoredEvent } from '#core/event-store/event.ts'
import type { Store } from '#core/event-store/store.ts'
import { newestStored, readPermitted } from './store.ts'

/** A stream of the events that proofs allow, in commit order; followers of the same namespaces share each read of new events. */
export interface EventFeed {
  /** Pages of events after a position, as they are appended, until the signal aborts. Throws when the store cannot be read. */
  follow(
    access: AccessScope<'watch', 'events'>,
    after: bigint,
    signal: AbortSignal,
  ): AsyncGenerator<readonly StoredEvent[]>
}

const PAGE = 200
// Polling interval in case an announcement is lost: one query per process, for any number of followers.
const POLL_MS = 1_000
// Appends within this time are read at once.
const GATHER_MS = 10
// Above this limit a follower is slow: its pages are dropped, and it reads on its own.
const MAX_PAGES = 5

type FeedStore = Pick<Store, 'reader' | 'appends'>

interface Follower {
  readonly pages: (readonly StoredEvent[])[]
  overflowed: boolean
  failure?: unknown
  wake: () => void
}

interface Group {
  readonly namespaces: readonly string[]
  readonly followers: Set<Follower>
  /** Position up to which events were passed to the followers. */
  position: bigint
}

/** Creates the feed of one store. It reads only while there are followers. */
export function createEventFeed(store: FeedStore): EventFeed {
  const groups = new Map<string, Group>()
  let running = false
  const run = async (): Promise<void> => {
    if (running) return
    running = true
    const appends = store.appends()
    try {
      while (groups.size > 0) {
        await readNew(store, groups)
        await appends.wait(POLL_MS)
        await new Promise((resolve) => setTimeout(resolve, GATHER_MS))
      }
    } finally {
      running = false
      await appends.stop()
    }
  }
  const join = async (namespaces: readonly string[], follower: Follower): Promise<Group> => {
    const key = keyOf(namespaces)
    const position = groups.has(key) ? 0n : await newestStored(store)
    const group = groups.get(key) ?? { namespaces, followers: new Set(), position }
    groups.set(key, group)
    group.followers.add(follower)
    run().catch(() => undefined)
    return group
  }
  const leave = (group: Group, follower: Follower): void => {
    group.followers.delete(follower)
    const key = keyOf(group.namespaces)
    if (group.followers.size === 0 && groups.get(key) === group) groups.delete(key)
  }
  return {
    follow: async function* (access, after, signal) {
      const follower: Follower = { pages: [], overflowed: false, wake: () => undefined }
      const onAbort = (): void => follower.wake()
      signal.addEventListener('abort', onAbort, { once: true })
      const group = await join(
        access.map(({ namespace }) => namespace),
        follower,
      )
      try {
        yield* replayThenFollow({ store, group, follower, signal }, after)
      } finally {
        signal.removeEventListener('abort', onAbort)
        leave(group, follower)
      }
    },
  }
}

// No namespace name contains a comma.
function keyOf(namespaces: readonly string[]): string {
  return namespaces.join(',')
}

interface Following {
  readonly store: FeedStore
  readonly group: Group
  readonly follower: Follower
  readonly signal: AbortSignal
}

// The follower has joined before it reads: events appended meanwhile are in its pages, and events already read are skipped there.
async function* replayThenFollow(
  { store, group, follower, signal }: Following,
  after: bigint,
): AsyncGenerator<readonly StoredEvent[]> {
  let position = after
  let behind = true
  while (!signal.aborted) {
    if (follower.failure !== undefined) throw follower.failure
    if (follower.overflowed) {
      follower.overflowed = false
      behind = true
    }
    if (behind) {
      const page = await readPermitted(store, group.namespaces, position, PAGE)
      position = page.at(-1)?.position ?? position
      behind = page.length === PAGE
      if (page.length > 0) yield page
      continue
    }
    const page = follower.pages.shift()
    if (page === undefined) {
      await new Promise<void>((resolve) => {
        follower.wake = resolve
        if (follower.pages.length > 0 || follower.failure !== undefined || signal.aborted) resolve()
      })
      continue
    }
    const fresh = page.filter((event) => event.position > position)
    position = fresh.at(-1)?.position ?? position
    if (fresh.length > 0) yield fresh
  }
}

async function readNew(store: FeedStore, groups: ReadonlyMap<string, Group>): Promise<void> {
  try {
    const head = await newestStored(store)
    for (const group of groups.values()) if (group.position < head) await readGroup(store, group, head)
  } catch (error) {
    for (const group of groups.values())
      for (const follower of group.followers) {
        follower.failure = error
        follower.wake()
      }
  }
}

async function readGroup(store: FeedStore, group: Group, head: bigint): Promise<void> {
  for (;;) {
    const page = await readPermitted(store, group.namespaces, group.position, PAGE)
    for (const follower of group.followers) hand(follower, page)
    const last = page.at(-1)?.position ?? group.position
    if (page.length < PAGE) {
      // Events that the filter hides need no further check.
      group.position = last > head ? last : head
      return
    }
    group.position = last
  }
}

function hand(follower: Follower, page: readonly StoredEvent[]): void {
  if (page.length === 0) return
  if (follower.pages.length >= MAX_PAGES) {
    follower.pages.length = 0
    follower.overflowed = true
  }
  if (!follower.overflowed) follower.pages.push(page)
  follower.wake()
}
