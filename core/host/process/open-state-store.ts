import type { CoreSettings } from '#core/config/core-settings.ts'
import type { Role } from '#core/config/profile.ts'
import type { Logger } from '#core/log/logger.ts'
import { createMemoryStateStore } from '#core/state-store/memory-store.ts'
import { parseRedisUrl } from '#core/state-store/redis-url.ts'
import type { StateStore } from '#core/state-store/state-store.ts'
import type { Metrics } from '#core/telemetry/metrics.ts'

/** Opens the state store of a process. */
export type StateStoreOpener = (report: {
  readonly log: Logger
  readonly metrics: Metrics
}) => Promise<StateStore | undefined>

/**
 * Checks the settings of the state store and returns what opens it. Only the state role connects. Replicas of it must share a store, so the
 * in-process one is for processes of several roles.
 */
export function prepareStateStore(
  { redisUrl, install }: CoreSettings,
  roles: readonly Role[],
  origin: (setting: string) => string,
): StateStoreOpener {
  if (!roles.includes('state')) return async () => undefined
  if (redisUrl === undefined) return async () => (roles.length > 1 ? createMemoryStateStore() : undefined)
  const address = parseRedisUrl(redisUrl, origin('redisUrl'))
  // A process without a server of its own does not load the client.
  return async (report) => (await import('#core/state-store/redis-store.ts')).openRedisStore(address, install, report)
}
