import { definePoint } from '#core/jobs/extension-point.ts'
import type { Tx } from '#core/event-store/store.ts'

/** Something of a plugin that outlives what it belonged to. */
export interface Leftover {
  readonly name: string
  /** Kinds of cluster objects whose deletion leaves it behind. */
  readonly kinds: readonly string[]
  /** Removes up to `limit` pieces that belonged to the deleted object; returns how many went. */
  prune(tx: Tx, deleted: { readonly kind: string; readonly uid: string }, limit: number): Promise<number>
}

/** What deletions leave behind, by plugin. */
export const leftover = definePoint<Leftover>('pruning.leftover')
