import { sql } from 'kysely'
import type { Database } from '#core/database/database.ts'

/** An accepted change or a denied request, as the suite recorded it. */
export interface Change {
  readonly verb: 'create' | 'update' | 'delete' | 'cancel' | 'denied'
  readonly uid: string
  /** Set for updates only. */
  readonly version: string
  readonly name: string
  /** `api`: through the BFF, which reports it as well. `cluster`: at the API server, where only the manager observes it. */
  readonly via: 'api' | 'cluster'
  /** `performance.now()` before the request and after its response. */
  readonly from: number
  readonly to: number
}

/** A period without an informer: changes made at the API server meanwhile may be merged into the final state. */
export interface BlindTime {
  readonly from: number
  readonly to: number
}

/** Accepted changes, and writes without a response. */
export interface ExpectedChanges {
  readonly changes: Change[]
  /** `<verb>/<name>` of writes whose response was lost; they may have been applied. */
  readonly doubtful: Set<string>
}

/** Differences between the audit log and the expected changes. */
export interface Comparison {
  readonly lost: readonly Change[]
  readonly duplicated: number
  /** Rows that match no recorded change. */
  readonly phantoms: readonly string[]
  readonly rows: number
}

/** A change as text. */
export function describe({ verb, name, via }: Change): string {
  return `${verb} of ${name} (${via})`
}

/** Creates an empty record. */
export function createExpectedChanges(): ExpectedChanges {
  return { changes: [], doubtful: new Set() }
}

/** Send time of the oldest change that has no row yet. A relist may merge what the manager had not reported when it was killed. */
export async function oldestUnrecorded(
  database: Database,
  namespace: string,
  expected: ExpectedChanges,
): Promise<number> {
  const { changes, counts } = { changes: [...expected.changes], counts: await countRows(database, namespace) }
  return changes.find((change) => !counts.has(keyOf(change)))?.from ?? performance.now()
}

/** Compares the audit rows of a namespace with the changes recorded for it. */
export async function compareWithRows(
  database: Database,
  namespace: string,
  expected: ExpectedChanges,
  blind: readonly BlindTime[],
): Promise<Comparison> {
  const counts = await countRows(database, namespace)
  const changes = [...expected.changes, ...(await committedRuns(database, namespace))]
  const known = new Set(changes.map(keyOf))
  const unknown = [...counts.values()].flat().filter((row) => !known.has(keyOf(row)))
  const rows = [...counts.values()].reduce((sum, same) => sum + same.length, 0)
  return {
    lost: required(changes, expected.doubtful, blind).filter((change) => !counts.has(keyOf(change))),
    duplicated: rows - counts.size,
    phantoms: unknown
      .filter(({ verb, name }) => !expected.doubtful.has(`${verb}/${name}`))
      .map(({ verb, name }) => `${verb} ${name}`),
    rows,
  }
}

// The log promises an event for each committed run, whether or not its caller received a response.
async function committedRuns(database: Database, namespace: string): Promise<Change[]> {
  const { rows } = await sql<Pick<Change, 'verb' | 'uid'>>`
    select 'create' as verb, id as uid from runs_runs where namespace = ${namespace}
    union all select 'cancel', id from runs_runs where namespace = ${namespace} and state in ('cancelling', 'cancelled')`.execute(
    database.root,
  )
  return rows.map((row) => ({ ...row, version: '', name: row.uid, via: 'api', from: 0, to: 0 }))
}

type Row = Pick<Change, 'verb' | 'name' | 'uid' | 'version'>

async function countRows(database: Database, namespace: string): Promise<ReadonlyMap<string, readonly Row[]>> {
  const { rows } = await sql<Row>`
    select case outcome when 'denied' then outcome else action end as verb, resource_name as name,
      coalesce(detail->>'uid', resource_name) as uid, detail->>'resourceVersion' as version
    from audit_log where namespace = ${namespace} and outcome in ('success', 'denied')`.execute(database.root)
  return Map.groupBy(rows, keyOf)
}

function keyOf({ verb, uid, version }: Pick<Change, 'verb' | 'uid' | 'version'>): string {
  return verb === 'update' ? `update/${uid}/${version}` : `${verb}/${uid}`
}

// A relist shows final states only (A4). An object created and deleted between two lists is never observed, and of several updates only the
// last one is. A write in doubt may have been the last one.
function required(
  changes: readonly Change[],
  doubtful: ReadonlySet<string>,
  blind: readonly BlindTime[],
): readonly Change[] {
  const windows = merged(blind)
  const windowOf = ({ from, to }: Change): number => windows.findIndex((time) => from <= time.to && to >= time.from)
  const byUid = Map.groupBy(changes, ({ uid }) => uid)
  return changes.filter((change) => {
    const window = windowOf(change)
    if (change.via === 'api' || window === -1) return true
    const all = byUid.get(change.uid) ?? []
    const own = all.filter((one) => windowOf(one) === window)
    const came = own.some(({ verb }) => verb === 'create')
    const mayBeGone = doubtful.has(`delete/${change.name}`)
    const isLast = all.at(-1) === change && !mayBeGone && !doubtful.has(`update/${change.name}`)
    if (change.verb === 'update') return !came && isLast
    return !(came && (mayBeGone || own.some(({ verb }) => verb === 'delete')))
  })
}

function merged(times: readonly BlindTime[]): readonly BlindTime[] {
  const found: BlindTime[] = []
  for (const time of times.toSorted((a, b) => a.from - b.from)) {
    const last = found.at(-1)
    if (last === undefined || time.from > last.to) found.push(time)
    else found.splice(-1, 1, { from: last.from, to: Math.max(last.to, time.to) })
  }
  return found
}
