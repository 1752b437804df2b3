import type { RunsTables } from '../../contract/tables.ts'
import type { Reader } from '#core/event-store/store.ts'

/**
 * The statements of this folder take ids, not proofs, so `routes.ts` may not import them. Every writer locks the run's lease row
 * first; that row orders the journal and carries the epoch.
 */
export type Db = Reader<RunsTables>
