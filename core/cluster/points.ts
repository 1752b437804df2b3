import { definePoint } from '#core/host/points.ts'

/** An object that a record of the platform says exists: somebody made or changed it through the API. */
export interface ToldObject {
  readonly uid: string
  readonly kind: string
  /** '' for cluster-scoped kinds. */
  readonly namespace: string
  readonly name: string
  readonly resourceVersion: string
}

/** Knows of objects by other means than an informer. */
export interface ObjectTeller {
  /** Objects of these kinds that no informer has ever seen. */
  unseen(kinds: readonly string[]): Promise<readonly ToldObject[]>
}

/** Who knows of objects that informers may have missed (the audit plugin). */
export const toldObjects = definePoint<ObjectTeller>('cluster.told-objects')
