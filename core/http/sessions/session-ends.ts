import { sql } from 'kysely'
import type { Store } from '#core/event-store/store.ts'

/** Tables of ended sessions. */
interface SessionTables {
  session_ends: { id: string; until: Date }
  // A bigint, which the driver may read as a string.
  session_epochs: { username: string; epoch: string | number }
}

/** What the store knows about a session. */
export interface SessionStanding {
  /** Sessions of the user with a lower epoch have ended. */
  readonly epoch: number
  readonly isEnded: boolean
}

/** Reads the epoch of a user, and whether a session was ended, in one statement. */
export async function readStanding(store: Store, user: string, id: string): Promise<SessionStanding> {
  const { epoch, isEnded } = await store
    .reader<SessionTables>()
    .selectNoFrom((select) => [
      select.selectFrom('session_epochs').select('epoch').where('username', '=', user).as('epoch'),
      select.exists(select.selectFrom('session_ends').select('id').where('id', '=', id)).as('isEnded'),
    ])
    .executeTakeFirstOrThrow()
  return { epoch: epoch === null ? 0 : Number(epoch), isEnded: Boolean(isEnded) }
}

/** Ends a session until a time, in Unix milliseconds. Returns whether it was not ended before. */
export async function recordEnd(store: Store, id: string, until: number): Promise<boolean> {
  return store.transact(async (tx) => {
    const db = tx.tables<SessionTables>()
    await db
      .deleteFrom('session_ends')
      .where(sql<boolean>`until < now() - interval '1 hour'`)
      .execute()
    const { numInsertedOrUpdatedRows = 0n } = await db
      .insertInto('session_ends')
      .values({ id, until: new Date(until) })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .executeTakeFirst()
    return numInsertedOrUpdatedRows > 0n
  })
}

/** Ends all sessions of a user: raises the epoch that their cookies must have. The clock keeps it rising after a restored backup. */
export async function raiseEpoch(store: Store, user: string): Promise<void> {
  await store.transact(async (tx) => {
    await sql`insert into session_epochs as one (username, epoch) values (${user}, extract(epoch from now())::bigint)
      on conflict (username) do update set epoch = greatest(one.epoch + 1, excluded.epoch)`.execute(
      tx.tables<SessionTables>(),
    )
  })
}
