import type { CoreWith } from '#core/plugin/core-services.ts'
import type { Store } from '#core/event-store/store.ts'
import type { RunsApi } from '#plugins/runs/contract/api.ts'
import { sharingMetrics } from '../contract/metrics.ts'
import { createAddressLimit } from '../public/address-limit.ts'
import type { AddressLimit } from '../public/address-limit.ts'
import { createEndedShares } from '../public/ended-shares.ts'
import type { EndedShares } from '../public/ended-shares.ts'
import type { SharingSettings } from '../contract/settings.ts'

/** Services of the plugin, for its slots. */
export interface SharingServices {
  readonly store: Store
  readonly runs: Pick<RunsApi, 'find' | 'snapshot' | 'lockIn'>
  readonly settings: SharingSettings
  readonly shares: EndedShares
  readonly reads: AddressLimit
  /** Counters of requests for shares, reads, removed shares and stored bytes. */
  readonly counted: (outcome: 'created' | 'repeated' | 'refused' | 'revoked') => void
  readonly readCounted: (outcome: 'shown' | 'unknown' | 'limited') => void
  readonly removed: (reason: 'expired' | 'run' | 'erasure', shareIds: readonly string[]) => void
  readonly stores: (bytes: number) => void
}

/** Creates the services, without I/O. */
export function createServices(
  { store, bus, metrics }: Pick<CoreWith<readonly ['store']>, 'store' | 'bus' | 'metrics'>,
  settings: SharingSettings,
  { runs }: { readonly runs: RunsApi },
): SharingServices {
  const created = metrics.counter(sharingMetrics.created)
  const reads = metrics.counter(sharingMetrics.reads)
  const removals = metrics.counter(sharingMetrics.removed)
  const stored = metrics.gauge(sharingMetrics.storedBytes)
  const shares = createEndedShares(bus)
  return {
    store,
    runs,
    settings,
    shares,
    reads: createAddressLimit(settings.readsPerMinute),
    counted: (outcome) => created.inc({ outcome }),
    readCounted: (outcome) => reads.inc({ outcome }),
    removed: (reason, shareIds) => {
      removals.inc({ reason }, shareIds.length)
      shares.announce(shareIds)
    },
    stores: (bytes) => stored.set(bytes),
  }
}
