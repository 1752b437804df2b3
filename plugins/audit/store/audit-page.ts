import { sql } from 'kysely'
import type { AccessScope } from '#core/cluster/caller.ts'
import type { AuditTables } from '../contract/tables.ts'
import type { Reader } from '#core/event-store/store.ts'

type ActorKind = AuditTables['audit_log']['actor_kind']
type Source = AuditTables['audit_log']['source']

/** Filters of a page. The namespaces come from the proofs (A9). */
export interface AuditFilter {
  readonly actor?: string | undefined
  readonly action?: string | undefined
  readonly kind?: string | undefined
  readonly resourceName?: string | undefined
  readonly traceId?: string | undefined
  readonly actorKind?: ActorKind | undefined
  readonly source?: Source | undefined
  readonly outcome?: 'success' | 'denied' | 'error' | undefined
  /** RFC 3339; inclusive. */
  readonly from?: string | undefined
  /** RFC 3339; exclusive. */
  readonly to?: string | undefined
  /** Uids of the namespaces: exclude rows of deleted namespaces of the same names (SEC17). */
  readonly namespaceUids?: readonly string[] | undefined
}

/** The sort key of the log. */
export interface AuditKey {
  readonly occurredAt: Date
  readonly id: string
}

/** Selects the rows of a page. */
export interface AuditWindow {
  readonly limit: number
  readonly after?: AuditKey | undefined
  /** Rows older than this many days are hidden, although their day is dropped only when all of it is older. */
  readonly retentionDays: number
}

// Columns without `namespace_uid`, which is only used by the filter. Before migration 0008 every row of the BFF was exact.
const columns = [
  ...(['id', 'occurred_at', 'source', 'actor', 'actor_kind', 'action', 'resource_kind', 'resource_name'] as const),
  ...(['namespace', 'outcome', 'trace_id', 'detail'] as const),
  sql<boolean>`coalesce(actor_exact, source = 'bff')`.as('actor_exact'),
] as const

/** The statement of one page, newest first. */
export function auditPage(
  db: Reader<AuditTables>,
  access: AccessScope<'list', 'auditlogs'>,
  filter: AuditFilter,
  page: AuditWindow,
) {
  let query = db
    .selectFrom('audit_log')
    .select(columns)
    // By the database's clock, like retention; `now()` prunes older days and bounds an index, `clock_timestamp()` would do neither.
    .where(sql<boolean>`occurred_at >= now() - make_interval(days => ${page.retentionDays})`)
    .orderBy('occurred_at', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit)
  const names = access.map(({ namespace }) => namespace)
  if (!names.includes('')) query = query.where('namespace', '=', oneOf(names))
  if (filter.namespaceUids !== undefined) query = query.where('namespace_uid', '=', oneOf(filter.namespaceUids))
  if (filter.actor !== undefined) query = query.where('actor', '=', filter.actor)
  if (filter.action !== undefined) query = query.where('action', '=', filter.action)
  if (filter.kind !== undefined) query = query.where('resource_kind', '=', filter.kind)
  if (filter.resourceName !== undefined) query = query.where('resource_name', '=', filter.resourceName)
  if (filter.traceId !== undefined) query = query.where('trace_id', '=', filter.traceId)
  if (filter.actorKind !== undefined) query = query.where('actor_kind', '=', filter.actorKind)
  if (filter.source !== undefined) query = query.where('source', '=', filter.source)
  // A constant: otherwise a cached plan could not use the index of failures.
  if (filter.outcome !== undefined) query = query.where('outcome', '=', sql.lit(filter.outcome))
  if (filter.from !== undefined) query = query.where('occurred_at', '>=', new Date(filter.from))
  if (filter.to !== undefined) query = query.where('occurred_at', '<', new Date(filter.to))
  if (page.after) {
    const { occurredAt, id } = page.after
    // The first condition prunes the partitions of newer days; a comparison of rows alone does not.
    query = query.where('occurred_at', '<=', occurredAt)
    query = query.where(sql<boolean>`(occurred_at, id) < (${occurredAt}, ${id}::uuid)`)
  }
  return query
}

const actorKinds: readonly ActorKind[] = ['user', 'controller', 'system']
const sources: readonly Source[] = ['controller', 'bff']

/**
 * The filters whose pages together are the page of a filter. One index has rows by actor kind and source; a filter with one of them is read once
 * for each value of the other, so that a rare value costs no walk through the log. Pure.
 */
export function partsOfFilter(filter: AuditFilter): readonly AuditFilter[] {
  const { actorKind, source } = filter
  if ((actorKind === undefined) === (source === undefined)) return [filter]
  return actorKind === undefined
    ? actorKinds.map((kind) => ({ ...filter, actorKind: kind }))
    : sources.map((one) => ({ ...filter, source: one }))
}

/** Reads the rows of one page, newest first. */
export async function readAuditPage(
  db: Reader<AuditTables>,
  access: AccessScope<'list', 'auditlogs'>,
  filter: AuditFilter,
  page: AuditWindow,
) {
  const parts = partsOfFilter(filter)
  const found = await Promise.all(parts.map((part) => auditPage(db, access, part, page).execute()))
  if (parts.length === 1) return found.flat()
  return found.flat().toSorted(newestFirst).slice(0, page.limit)
}

function newestFirst(a: AuditOrder, b: AuditOrder): number {
  return b.occurred_at.getTime() - a.occurred_at.getTime() || (a.id < b.id ? 1 : -1)
}

type AuditOrder = Pick<AuditTables['audit_log'], 'occurred_at' | 'id'>

// A single value keeps the order of an index, an array does not.
function oneOf(values: readonly string[]) {
  const [only = ''] = values
  return values.length === 1 ? sql<string>`${only}` : sql<string>`any(${[...values]}::text[])`
}
