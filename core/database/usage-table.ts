import { sql } from 'kysely'
import type { Kysely, RawBuilder, Transaction } from 'kysely'

/** A transaction, whatever its tables. */
type Within = Pick<Transaction<unknown>, 'getExecutor' | 'isTransaction'>

/** Sums of an owner, such as a namespace, that are compared with a quota: `{ items: 3, bytes: 4096 }`. */
export type UsageSums<Count extends string> = Readonly<Record<Count, number>>

/** A table of a plugin with one row per owner and one `bigint` column per count. */
export interface UsageTable<Count extends string> {
  /**
   * Adds to the usage of an owner and returns it. The row is locked until COMMIT, so that concurrent writers never exceed a quota that the
   * caller checks.
   */
  add(db: Within, owner: string, added: UsageSums<Count>): Promise<UsageSums<Count>>
  /** Like `add`, but adds nothing and returns undefined if a sum would be above `most`, or the owner is null. */
  addUpTo(
    db: Within,
    owner: RawBuilder<string | null>,
    added: UsageSums<Count>,
    most: Partial<UsageSums<Count>>,
  ): Promise<(UsageSums<Count> & { readonly owner: string }) | undefined>
  /** Subtracts what was removed, and forgets owners whose first count is 0. Owners are locked in one order: no two removals wait for each other. */
  subtract(db: Within, removed: readonly (UsageSums<Count> & { readonly owner: string })[]): Promise<void>
  /** Sum of a count over all owners that begin with `prefix`. */
  total(db: Pick<Kysely<unknown>, 'getExecutor'>, count: Count, prefix?: string): Promise<number>
}

/** Declares the table of a plugin: its name, the column of the owner, and its counts. */
export function usageTable<const Count extends string>(
  table: string,
  { owner: key, counts }: { readonly owner: string; readonly counts: readonly [Count, ...Count[]] },
): UsageTable<Count> {
  const name = sql.table(table)
  const ownerColumn = sql.ref(key)
  const columns = sql.join(counts.map((count) => sql.ref(count)))
  const each = (part: (column: RawBuilder<unknown>, count: Count) => RawBuilder<unknown>, by = sql`, `) =>
    sql.join(
      counts.map((count) => part(sql.ref(count), count)),
      by,
    )
  const [first] = counts
  const addUpTo: UsageTable<Count>['addUpTo'] = async (db, owner, added, most) => {
    const limited = counts.filter((count) => most[count] !== undefined)
    const within = (value: (count: Count) => RawBuilder<unknown>): RawBuilder<unknown> =>
      sql.join([sql`true`, ...limited.map((count) => sql`${value(count)} <= ${most[count]}::bigint`)], sql` and `)
    const { rows } = await sql<Record<string, unknown>>`
        insert into ${name} as u (${ownerColumn}, ${columns})
        select owner, ${each((_, count) => sql`${added[count]}::bigint`)} from (select ${owner}::text as owner) given
        where owner is not null and ${within((count) => sql`${added[count]}::bigint`)}
        on conflict (${ownerColumn}) do update
          set ${each((column) => sql`${column} = u.${column} + excluded.${column}`)}
          where ${within((count) => sql`u.${sql.ref(count)} + excluded.${sql.ref(count)}`)}
        returning ${ownerColumn} as owner, ${columns}`.execute(db as Kysely<unknown>)
    const [row] = rows
    if (row === undefined) return undefined
    const usage = Object.fromEntries(counts.map((count) => [count, Number(row[count])])) as UsageSums<Count>
    return { ...usage, owner: String(row.owner) }
  }
  return {
    addUpTo,
    async add(db, owner, added) {
      const used = await addUpTo(db, sql`${owner}`, added, {})
      if (used === undefined) throw new Error(`the usage of an owner is not stored in ${table}`)
      return used
    },
    async subtract(db, removed) {
      if (removed.length === 0) return
      const owners = sql`${removed.map(({ owner }) => owner)}::text[]`
      const given = each((_, count) => sql`${removed.map((one) => one[count])}::bigint[]`)
      await sql`with given as (
          select owner, ${each((column) => sql`sum(${column})::bigint as ${column}`)}
          from unnest(${owners}, ${given}) as g (owner, ${columns}) group by owner
        ), locked as (
          select u.${ownerColumn} as owner from ${name} u join given on given.owner = u.${ownerColumn} order by 1 for update of u
        ) update ${name} u set ${each((column) => sql`${column} = greatest(u.${column} - given.${column}, 0)`)}
          from given join locked using (owner) where u.${ownerColumn} = given.owner`.execute(db as Kysely<unknown>)
      await sql`delete from ${name} where ${ownerColumn} = any(${owners}) and ${sql.ref(first)} = 0`.execute(
        db as Kysely<unknown>,
      )
    },
    async total(db, count, prefix = '') {
      const { rows } = await sql<{ sum: number }>`
        select coalesce(sum(${sql.ref(count)}), 0)::float8 as sum from ${name}
        where starts_with(${ownerColumn}, ${prefix})`.execute(db as Kysely<unknown>)
      return rows[0]?.sum ?? 0
    },
  }
}
