import { sql } from 'kysely'
import type { Database } from '#core/database/database.ts'

/** A task without attempts left, or that its handler abandoned. */
export interface DeadTask {
  readonly id: string
  readonly type: string
  readonly namespace: string
  readonly attempts: number
  readonly error: string
  readonly deadAt: Date
}

/** Filter of dead tasks. */
export interface DeadTaskFilter {
  readonly type?: string | undefined
  readonly namespace?: string | undefined
  readonly ids?: readonly string[] | undefined
}

/** Lists dead tasks, oldest first. Payloads are not read: they belong to the tenants. */
export async function listDeadTasks(
  database: Pick<Database, 'root'>,
  { limit = 200, ...filter }: DeadTaskFilter & { readonly limit?: number } = {},
): Promise<readonly DeadTask[]> {
  const { rows } = await sql<DeadTask>`
    select id::text as id, type, namespace, attempts, coalesce(error, '') as error, finished_at as "deadAt"
    from tasks where ${matches(filter)} order by id limit ${limit}`.execute(database.root)
  return rows
}

/** Makes dead tasks due again, with all their attempts. Returns their number. */
export async function retryDeadTasks(database: Database, filter: DeadTaskFilter): Promise<number> {
  const { rows } = await sql`
    update tasks set state = 'ready', attempts = 0, due_at = clock_timestamp(), finished_at = null, delete_after = null
    where ${matches(filter)} returning 1`.execute(database.root)
  if (rows.length > 0) database.announce('enqueued')
  return rows.length
}

function matches({ type, namespace, ids }: DeadTaskFilter) {
  return sql`state = 'dead' and (${type ?? null}::text is null or type = ${type ?? null})
    and (${namespace ?? null}::text is null or namespace = ${namespace ?? null})
    and (${ids ?? null}::bigint[] is null or id = any(${ids ?? null}::bigint[]))`
}
