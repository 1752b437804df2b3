import { definePoint } from '#core/jobs/extension-point.ts'

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

/** A change of a cluster object: its creation, or the change that produced this version. */
export interface ObjectChange {
  readonly uid: string
  /** Absent for the creation. */
  readonly resourceVersion?: string
}

/** Finds the actor of a change; undefined if only a guess is known. */
export type ChangeActorFinder = (change: ObjectChange) => Promise<string | undefined>

/** Source of authenticated actors of changes (the audit plugin). */
export const changeActorFinder = definePoint<ChangeActorFinder>('cluster.change-actor')
