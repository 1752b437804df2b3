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

/** What looking for departed objects needs. */
export interface MissedDeletionOptions {
  readonly cluster: Pick<KubeClient, 'get'>
  readonly store: Store
  readonly informers: readonly Informer[]
  readonly tellers: () => readonly ObjectTeller[]
  readonly log: Logger
}

/**
 * Finds objects that came and went while no manager watched: neither a list nor a watch reports them, only the request that made them does.
 * Each becomes one deletion, marked as late (A4); an object without such a request is not reported.
 */
export function missedDeletionsJob(options: MissedDeletionOptions): Job {
  const { store, informers, tellers, log } = options
  const byKind = new Map(informers.map((informer) => [informer.resourceKind, informer]))
  // Gone twice in a row: the watch of another replica may be a moment behind and tells a deletion by itself.
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

// A list after its time did not show it. What is newer than the list is on the watch, which may be far behind: to declare it gone would
// silence the changes that are still to be told.
function wasMissed(informer: Informer, told: ToldObject): boolean {
  const list = lastListOf(informer, told)
  return list !== undefined && !isNewer(told.resourceVersion, list)
}

// Whether it lives: another object of the same name is not it. What has no readable name cannot be asked for.
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
