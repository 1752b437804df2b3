import { setTimeout as delay } from 'node:timers/promises'
import { needs } from '#test/harness/find-server.ts'
import { startRedis } from '#test/harness/redis.ts'
import type { RedisServer } from '#test/harness/redis.ts'
import type { Scope } from '#test/harness/scope.ts'
import { createMemoryStateStore } from '../memory-store.ts'
import { openRedisStore } from '../redis-store.ts'
import { parseRedisUrl } from '../redis-url.ts'
import type { StateStore } from '../state-store.ts'
import type { OpenedStore, StateStoreAdapter } from '../state-store.contract.ts'

/** Every adapter of the state store. Tests of one file share a server. */
export function stateStores(): readonly StateStoreAdapter[] {
  const inProcess = async (): Promise<OpenedStore> => {
    let clock = 0
    return { store: createMemoryStateStore({ now: () => clock }), advance: async (ms) => void (clock += ms) }
  }
  return [
    { name: 'in process', skip: false, open: inProcess },
    { name: 'redis', skip: needs('redis-server').skip, open: openOnRedis },
  ]
}

let shared: Promise<RedisServer> | undefined
let stores = 0

async function openOnRedis(t: Scope): Promise<OpenedStore> {
  // The server ends with the process of the test file.
  const { url } = await (shared ??= startRedis({ after: () => undefined }))
  return { store: await openRedis(t, url, `test-${stores++}`), advance: (ms) => delay(ms) }
}

/** Opens a store on a server, connected. */
export async function openRedis(t: Scope, url: string, install = 'test'): Promise<StateStore> {
  const store = openRedisStore(parseRedisUrl(url), install)
  t.after(() => store.close())
  await untilConnected(store)
  return store
}

/** Waits until the store responds. */
export async function untilConnected(store: StateStore): Promise<void> {
  for (const end = Date.now() + 30_000; ; await delay(10))
    try {
      return await store.check()
    } catch (error) {
      if (Date.now() > end) throw error
    }
}
