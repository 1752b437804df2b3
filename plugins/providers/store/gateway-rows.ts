import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Reader } from '#core/event-store/store.ts'
import type { ProvidersTables } from '../contract/tables.ts'

/** Seconds without a sign of life after which a gateway is gone. */
const GONE_SECONDS = 45

/** Notes a sign of life of a gateway. Resolves with true if the gateway was unknown or gone. Rows of a day ago are removed then. */
export async function noteGateway(db: Kysely<ProvidersTables>, name: string): Promise<boolean> {
  const { rows } = await sql`
    update ${sql.table('providers_gateways')} set seen_at = now()
    where name = ${name} and seen_at >= now() - make_interval(secs => ${GONE_SECONDS}) returning 1`.execute(db)
  if (rows.length > 0) return false
  await sql`
    insert into ${sql.table('providers_gateways')} (name, seen_at) values (${name}, now())
    on conflict (name) do update set seen_at = now()`.execute(db)
  await sql`delete from ${sql.table('providers_gateways')} where seen_at < now() - interval '1 day'`.execute(db)
  return true
}

/** Whether each known gateway is gone. */
export async function readGateways(db: Reader<ProvidersTables>): Promise<ReadonlyMap<string, boolean>> {
  const rows = await db
    .selectFrom('providers_gateways')
    .select(['name', sql<boolean>`seen_at < now() - make_interval(secs => ${GONE_SECONDS})`.as('gone')])
    .execute()
  return new Map(rows.map(({ name, gone }) => [name, gone]))
}
