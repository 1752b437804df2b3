import type { ObjectIndexTables } from '#core/cluster/object-index-tables.ts'
import type { Job } from '#core/jobs/background-work.ts'
import type { KubeClient } from '#core/kube/client.ts'
import { isLabel, isName } from '#core/kube/names.ts'
import { isNewer } from '#core/kube/list-request.ts'
import { isStatus } from '#core/kube/status.ts'
import type { Logger } from '#core/log/logger.ts'
import type { Store } from '#core/event-store/store.ts'
import type { Informer } from './watch/declarations.ts'
import { lastListOf } from './informer.ts'
import { recordMissedDeletion } from './objects/record-changes.ts'
import { listUnobserved } from './objects/reported-objects.ts'
import type { ReportedObject } from './objects/reported-objects.ts'

const everyMs = 5_000

/** Dependencies of the job. */
export interface MissedDeletionOptions {
  readonly cluster: Pick<KubeClient, 'get'>
  readonly store: Store
  readonly informers: readonly Informer[]
  readonly log: Logger
}

/** Name of the job, and of its lease. */
export const missedDeletions = 'cluster.missed-deletions'

/**
 * Emits a late `deleted` event for each object that was created and deleted while no informer was running (A4). List and watch cannot
 * report such objects; they are known only from the callers' accepted writes.
 */
export function missedDeletionsJob(options: MissedDeletionOptions): Job {
  const { store, informers, log } = options
  const byKind = new Map(informers.map((informer) => [informer.resourceKind, informer]))
  // Missing in two rounds: the watch of another replica may be a moment behind and then reports the deletion itself.
  let missing: ReadonlySet<string> = new Set()
  return {
    name: missedDeletions,
    leaderOnly: true,
    every: everyMs,
    async run({ signal }) {
      const found = new Set<string>()
      for (const one of await listUnobserved(store.reader<ObjectIndexTables>(), [...byKind.keys()])) {
        const informer = byKind.get(one.kind)
        if (informer === undefined || signal.aborted || !isCoveredByList(informer, one)) continue
        if (await exists(options, informer, one)) continue
        if (!missing.has(one.uid)) found.add(one.uid)
        else if (await recordMissedDeletion(store, informer, one))
          log.info({ kind: one.kind, uid: one.uid }, 'missed deletion recorded')
      }
      missing = found
    },
  }
}

// Whether a later list lacked the object. The watch reports changes newer than the list, however late: a deletion recorded before that would
// suppress those changes.
function isCoveredByList(informer: Informer, reported: ReportedObject): boolean {
  const list = lastListOf(informer, reported)
  return list !== undefined && !isNewer(reported.resourceVersion, list)
}

// Another object of the same name does not count. An object without a valid name cannot be read and is assumed to exist.
async function exists({ cluster }: MissedDeletionOptions, informer: Informer, reported: ReportedObject) {
  const { resource } = informer
  const { name, namespace, uid } = reported
  if (!isName(name) || (resource.namespaced && !isLabel(namespace))) return true
  const ref = isLabel(namespace) ? { name, namespace } : { name }
  try {
    return (await cluster.get(resource, ref)).metadata.uid === uid
  } catch (error) {
    if (isStatus(error, 404)) return false
    throw error
  }
}
