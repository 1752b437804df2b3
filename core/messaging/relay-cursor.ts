import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { CoreTables } from '#core/database/core-tables.ts'
import type { Database } from '#core/database/database.ts'
import { StaleEpoch } from '#core/database/leader-election.ts'
import { defineStatement } from '#core/database/statement.ts'
import type { Placeholders } from '#core/database/statement.ts'
import { readEpoch } from '#core/event-store/read-events.ts'

/** Name of the relay's lease and cursor. */
export const relayName = 'relay'

/** Place of a relay in the log during one term. */
export interface RelayCursor {
  /** Position of the last published event. */
  readonly position: bigint
  /** Epoch of the log. A restore, which no relay outlives, starts another. */
  readonly logEpoch: number
  advance(position: bigint): void
  /** Milliseconds until the position must be stored; Infinity if it is already stored. */
  saveInMs(): number
  /** Stores the position. Throws `StaleEpoch` if another relay leads. */
  save(): Promise<void>
}

/** Position of the last published event that is stored; 0 on a new installation. */
export async function readCursor({ db }: Database): Promise<bigint> {
  const row = await db
    .selectFrom('cursor')
    .select('position')
    .where('name', '=', relayName)
    .where('stream', '=', '*')
    .executeTakeFirst()
  return row?.position ?? 0n
}

/** Opens the cursor of the relay that leads with an epoch. */
export async function openRelayCursor(database: Database, epoch: bigint, saveEveryMs: number): Promise<RelayCursor> {
  const [stored, logEpoch] = await Promise.all([readCursor(database), readEpoch(database.db)])
  let position = stored
  let saved = stored
  let saveAt = Infinity
  return {
    get position() {
      return position
    },
    logEpoch,
    advance: (to) => {
      if (position === saved) saveAt = performance.now() + saveEveryMs
      position = to
    },
    saveInMs: () => Math.max(0, saveAt - performance.now()),
    save: async () => {
      if (position === saved) return
      const saving = position
      if ((await storeCursor.run(database.db, { relay: relayName, epoch, position: saving })) === 0)
        throw new StaleEpoch(relayName, epoch)
      saved = saving
      saveAt = Infinity
    },
  }
}

interface Advance {
  relay: string
  epoch: bigint
  position: bigint
}

// Checks the epoch: a relay that was paused and replaced must not move the cursor (O5). A takeover waits for the lock, as in `assertEpoch`.
const storeCursor = defineStatement((db: Kysely<CoreTables>, p: Placeholders<Advance>) =>
  db
    .with('term', (query) =>
      query
        .selectFrom('leader')
        .select(sql.lit(1).as('leads'))
        .where('name', '=', p.relay)
        .where('epoch', '=', p.epoch)
        .forKeyShare(),
    )
    .insertInto('cursor')
    .columns(['name', 'stream', 'position'])
    .expression((query) =>
      query
        .selectFrom('term')
        .select([p.relay.as('name'), sql.lit('*').as('stream'), sql`${p.position}::bigint`.as('position')]),
    )
    .onConflict((conflict) =>
      conflict.columns(['name', 'stream']).doUpdateSet((row) => ({ position: row.ref('excluded.position') })),
    ),
)
