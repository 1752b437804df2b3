import { sql } from 'kysely'
import type { Transaction } from 'kysely'
import type { StoredEvent } from '#core/event-store/event.ts'
import type { Tx } from '#core/event-store/store.ts'
import type { Eraser } from '#plugins/erasures/contract/points.ts'
import { personErased } from '../contract/events.ts'
import type { CostTables } from '../contract/tables.ts'

/** Subject of the cost of erased people. Usernames with this prefix are reserved, so that it is no person's name. */
export const ERASED_SUBJECT = 'system:mesh:erased'

const keys = ['day', 'namespace', 'namespace_uid', 'provider', 'model', 'operation', 'currency', 'price']
const sums = ['calls', 'unpriced', 'input_tokens', 'output_tokens', 'cached_tokens', 'reasoning_tokens', 'micros']
const columnsOf = (names: readonly string[]) => sql.join(names.map((name) => sql.ref(name)))

/**
 * Replaces the name of a person in the cost of calls: amounts are books that a period has to add up to. By an event, since a rebuild of the
 * projection reads the name from the log.
 */
export const costEraser: Eraser = {
  name: 'cost',
  erase: async (tx, { erasureId, subject, namespace }) => {
    const rows = subject === ERASED_SUBJECT ? 0 : await countRows(tx, { subject, namespace })
    if (rows > 0)
      await tx.append(`cost/erasures/${erasureId}`, 'any', [
        {
          type: personErased,
          subject: { namespace: namespace ?? undefined, kind: 'Erasure', name: erasureId },
          data: { subject, namespace },
        },
      ])
    return { erased: rows, next: 'done' }
  },
}

interface Person {
  readonly subject: string
  readonly namespace: string | null
}

async function countRows(tx: Tx, person: Person): Promise<number> {
  const { rows } = await sql<{ rows: number }>`
    select count(*)::integer as rows from cost_persons where ${isOf(person)}`.execute(tx.tables<CostTables>())
  return rows[0]?.rows ?? 0
}

/** Adds the cost of a person to that of erased people. */
export async function renamePerson(event: Pick<StoredEvent, 'data'>, db: Transaction<CostTables>): Promise<void> {
  const person = event.data as Person
  const added = sums.map((name) => sql`${sql.ref(name)} = c.${sql.ref(name)} + excluded.${sql.ref(name)}`)
  await sql`with gone as (delete from cost_persons where ${isOf(person)} returning *)
    insert into cost_persons as c (subject, ${columnsOf(keys)}, ${columnsOf(sums)})
    select ${ERASED_SUBJECT}::text, ${columnsOf(keys)}, ${sql.join(sums.map((name) => sql`sum(${sql.ref(name)})`))}
    from gone group by ${columnsOf(keys)} order by ${columnsOf(keys)}
    on conflict (subject, ${columnsOf(keys)}) do update set ${sql.join(added)}`.execute(db)
}

function isOf({ subject, namespace }: Person) {
  return sql`subject = ${subject} and ${namespace === null ? sql`true` : sql`namespace = ${namespace}`}`
}
