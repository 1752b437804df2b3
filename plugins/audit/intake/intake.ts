import { setTimeout as sleep } from 'node:timers/promises'
import type { Informer } from '#core/controllers/watch/declarations.ts'
import type { Core } from '#core/plugin/core-services.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { auditMetrics } from '../contract/metrics.ts'
import { toClusterRequests } from './cluster-requests.ts'
import type { AuditedKind, IdentifiedEvent } from './cluster-requests.ts'

/** Stores the items of an EventList. Rejects with `store_unavailable` if that is not possible. */
export interface Intake {
  take(items: readonly unknown[]): Promise<void>
}

// Secrets are audited at level Metadata, since bodies contain the secret. Each request is its own row.
const withoutInformer: readonly [string, AuditedKind][] = [['/secrets', { kind: 'Secret', observed: false }]]

/** Stores audit events of the API server in the event log. The audit consumer creates rows from them (ADR 0021). */
export function createIntake(
  { store, metrics, log }: Pick<Core, 'store' | 'metrics' | 'log'>,
  informers: () => readonly Informer[],
  serves: (namespace: string) => boolean = () => true,
): Intake {
  const taken = metrics.counter(auditMetrics.webhookEvents)
  return {
    take: async (items) => {
      if (store === undefined) throw new Fail('not_wired')
      const kinds = new Map([...withoutInformer, ...informers().map(toAudited)])
      const { events, ignored, malformed, unusable } = toClusterRequests(items, kinds, serves)
      await holdRefusals(events)
      if (events.length > 0) await store.transact((tx) => tx.append('audit/cluster-requests', 'any', events))
      const counts = { accepted: events.length, ignored, malformed, unusable }
      for (const [result, count] of Object.entries(counts)) if (count > 0) taken.inc({ result }, count)
      if (malformed > 0 || unusable > 0)
        log.warn({ malformed, unusable }, 'audit webhook sent events without a usable object')
    },
  }
}

// The BFF reports its denials and failures within 50 ms, longer under load, with more fields: the trace and the name in the body. If both report one
// request, the first to be stored creates the row.
const refusalsHeldMs = 1_000

/** Resolves when every denial and failure is at least a second old. The API server can send other batches meanwhile. */
async function holdRefusals(events: readonly IdentifiedEvent[]): Promise<void> {
  const completed = events.flatMap(({ data, time }) =>
    data.outcome !== 'success' && time !== undefined ? [time.getTime()] : [],
  )
  if (completed.length === 0) return
  const age = Date.now() - Math.max(...completed)
  // The API server's clock may differ.
  await sleep(Math.min(refusalsHeldMs, Math.max(0, refusalsHeldMs - age)))
}

function toAudited({ resource, resourceKind }: Informer): [string, AuditedKind] {
  return [`${resource.group}/${resource.plural}`, { kind: resourceKind, observed: true }]
}
