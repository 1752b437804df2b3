import type { Reader } from '#core/database/database.ts'
import type { RunsTables } from '../tables.ts'

/**
 * The statements of this folder take ids, not proofs, so `routes.ts` may not import them. Every writer locks the run's lease row
 * first; that row orders the journal and carries the epoch.
 */
export type Db = Reader<RunsTables>
