import { definePoint } from '#core/jobs/extension-point.ts'
import type { Tx } from '#core/event-store/store.ts'

/** Removes data of a plugin that depends on cluster objects. */
export interface Pruner {
  readonly name: string
  /** Kinds of cluster objects that the data depends on. */
  readonly kinds: readonly string[]
  /** Removes up to `limit` items of the deleted object. Returns the number of removed items. */
  prune(tx: Tx, deleted: DeletedObject, limit: number): Promise<number>
}

/** A deleted object; its namespace is null if it had none. */
export interface DeletedObject {
  readonly kind: string
  readonly uid: string
  readonly namespace: string | null
}

/** Extension point for plugins whose data depends on cluster objects. */
export const pruner = definePoint<Pruner>('pruning.pruner')
