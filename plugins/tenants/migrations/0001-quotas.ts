import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export const breaking = false

/** The quotas of tenants, and the namespaces that they apply to. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  'create table tenants_quotas (uid text primary key, name text not null, quota jsonb not null)',
  'create index tenants_quotas_by_name on tenants_quotas (name)',
  `create table tenants_namespaces (namespace text not null, uid text not null, primary key (namespace, uid))`,
  'create index tenants_namespaces_by_tenant on tenants_namespaces (uid)',
]
