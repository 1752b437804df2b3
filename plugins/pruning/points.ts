import { definePoint } from '#core/jobs/extension-point.ts'
import type { Tx } from '#core/event-store/store.ts'

/** Removes data of a plugin that depends on cluster objects. */
export interface Pruner {
  readonly name: string
  /** Kinds of cluster objects that the data depends on. */
  readonly kinds: readonly string[]
  /** Removes up to `limit` items of the deleted object. Returns the number of removed items. */
  prune(tx: Tx, deleted: { readonly kind: string; readonly uid: string }, limit: number): Promise<number>
}

/** Extension point for plugins whose data depends on cluster objects. */
export const pruner = definePoint<Pruner>('pruning.pruner')
