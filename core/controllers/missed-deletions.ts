import type { Job } from '#core/jobs/background-work.ts'
import type { KubeClient } from '#core/kube/client.ts'
import { isLabel, isName } from '#core/kube/names.ts'
import { isNewer } from '#core/kube/resource-version.ts'
import { isStatus } from '#core/kube/status.ts'
import type { Logger } from '#core/log/logger.ts'
import type { Store } from '#core/event-store/store.ts'
import type { Informer } from './watch/declarations.ts'
import { lastListOf } from './informer.ts'
import type { ObjectTeller, ToldObject } from './objects/extension-points.ts'
import { recordMissedDeletion } from './objects/record-changes.ts'

const everyMs = 5_000

/** Dependencies of the job. */
export interface MissedDeletionOptions {
  readonly cluster: Pick<KubeClient, 'get'>
  readonly store: Store
  readonly informers: readonly Informer[]
  readonly tellers: () => readonly ObjectTeller[]
  readonly log: Logger
}

/**
 * Emits a late `deleted` event for objects that were created and deleted while no informer was running (A4). List and watch cannot report
 * such objects; they are known only from accepted writes.
 */
export function missedDeletionsJob(options: MissedDeletionOptions): Job {
  const { store, informers, tellers, log } = options
  const byKind = new Map(informers.map((informer) => [informer.resourceKind, informer]))
  // An object must be absent twice in a row: the watch of another replica may lag and report the deletion itself.
  let missing: ReadonlySet<string> = new Set()
  return {
    name: 'cluster.missed-deletions',
    role: 'manager',
    leaderOnly: true,
    every: everyMs,
    async run({ signal }) {
      const told = await Promise.all(tellers().map((teller) => teller.unseen([...byKind.keys()])))
      const found = new Set<string>()
      for (const one of told.flat()) {
        const informer = byKind.get(one.kind)
        if (informer === undefined || signal.aborted || !wasMissed(informer, one)) continue
        if (await isThere(options, informer, one)) continue
        if (!missing.has(one.uid)) found.add(one.uid)
        else if (await recordMissedDeletion(store, informer, one))
          log.info({ kind: one.kind, uid: one.uid }, 'recorded a missed deletion')
      }
      missing = found
    },
  }
}

// A list after its creation did not contain it. An object newer than the list is reported by the watch, which may lag; recording its
// deletion now would suppress those changes.
function wasMissed(informer: Informer, told: ToldObject): boolean {
  const list = lastListOf(informer, told)
  return list !== undefined && !isNewer(told.resourceVersion, list)
}

// Whether the object exists; another one of the same name does not count. An object without a valid name cannot be read.
async function isThere({ cluster }: MissedDeletionOptions, { resource }: Informer, told: ToldObject): Promise<boolean> {
  const { name, namespace, uid } = told
  if (!isName(name) || (resource.namespaced && !isLabel(namespace))) return true
  const ref = isLabel(namespace) ? { name, namespace } : { name }
  try {
    return (await cluster.get(resource, ref)).metadata.uid === uid
  } catch (error) {
    if (isStatus(error, 404)) return false
    throw error
  }
}
