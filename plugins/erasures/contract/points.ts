import { definePoint } from '#core/jobs/extension-point.ts'
import type { Tx } from '#core/event-store/store.ts'

/** A person or an account whose data is erased. */
export interface ErasedSubject {
  readonly erasureId: string
  /** Username. */
  readonly subject: string
  /** Only data of this namespace; null: of the whole cluster. */
  readonly namespace: string | null
  readonly namespaceUid: string | null
  /** By the clock of the database. */
  readonly requestedAt: Date
}

/** Outcome of a step. `wait`: the rest depends on other work, such as a run that is being cancelled. */
export interface ErasureStep {
  /** Number of erased items. */
  readonly erased: number
  readonly next: 'more' | 'wait' | 'done'
}

/** Erases the data of a subject from the tables of a plugin. */
export interface Eraser {
  /** What is erased, as the API reports it. */
  readonly name: string
  /**
   * Comes before the others, which may rely on it: it stops what still writes. Erasers are called in this order, and one that waits holds back
   * those after it.
   */
  readonly first?: true
  /** Stops what writes data of the subject, before anything is erased. Returns the number of stopped items; it is called again at `limit`. */
  stop?(tx: Tx, subject: ErasedSubject, limit: number): Promise<number>
  /** Erases up to `limit` items. It is called again after a crash, and after it was done, until all erasers are. */
  erase(tx: Tx, subject: ErasedSubject, limit: number): Promise<ErasureStep>
}

/** Extension point for plugins with data of people. */
export const eraser = definePoint<Eraser>('erasures.eraser', ({ name }) => name)
