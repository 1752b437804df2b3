import { sql } from 'kysely'
import type { Database } from '#core/database/database.ts'

/** Last executed tick of each job with a cron expression and a leader, so that a new leader neither repeats nor forgets one. */
export interface JobTicks {
  /** Returns the last executed tick. A job that is new gets `first`, which is stored. */
  read(job: string, first: Date): Promise<Date>
  /** Stores an executed tick, unless a later one is stored. */
  record(job: string, tick: Date): Promise<void>
}

/** Creates the ticks of a database. */
export function createJobTicks({ db }: Pick<Database, 'db'>): JobTicks {
  return {
    read: async (name, first) => {
      const row = await db
        .insertInto('job_ticks')
        .values({ name, tick: first })
        // A no-op update, so that the row is returned.
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ tick: sql`job_ticks.tick` }))
        .returning('tick')
        .executeTakeFirstOrThrow()
      return row.tick
    },
    record: async (name, tick) => {
      await db
        .insertInto('job_ticks')
        .values({ name, tick })
        .onConflict((conflict) =>
          conflict.column('name').doUpdateSet({ tick: sql`greatest(job_ticks.tick, excluded.tick)` }),
        )
        .execute()
    },
  }
}
