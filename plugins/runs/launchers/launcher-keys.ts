import type { Store } from '#core/event-store/store.ts'
import type { LauncherKeyRecorder } from '#plugins/agents/points.ts'
import { recordLauncherKey } from '../store/launcher-keys.ts'
import type { RunsTables } from '../store/tables.ts'

/** Records the public keys of launchers for workers. A key that this process has recorded is not written again. */
export function createKeyRecorder({ store }: { readonly store: Store }): LauncherKeyRecorder {
  const recorded = new Map<string, string>()
  return async (agentUid, publicKey) => {
    if (recorded.get(agentUid) === publicKey) return
    await store.transact((tx) => recordLauncherKey(tx.tables<RunsTables>(), agentUid, publicKey))
    recorded.set(agentUid, publicKey)
  }
}
