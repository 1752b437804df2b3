import { definePoint } from '#core/jobs/extension-point.ts'

/** A change of a cluster object: its creation, or the change that produced this version. */
export interface ObjectChange {
  readonly uid: string
  /** Absent for the creation. */
  readonly resourceVersion?: string
}

/** Returns the authenticated actor of a change; undefined while only a guess is known. */
export type ChangeActorFinder = (change: ObjectChange) => Promise<string | undefined>

/** Sources of authenticated actors of changes (the audit plugin). */
export const changeActorFinder = definePoint<ChangeActorFinder>('cluster.change-actor')
