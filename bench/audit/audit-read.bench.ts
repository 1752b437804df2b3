import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Access, AccessScope } from '#core/cluster/caller.ts'
import type { Store } from '#core/event-store/store.ts'
import { auditPage } from '#plugins/audit/store/audit-page.ts'
import type { AuditFilter, AuditKey } from '#plugins/audit/store/audit-page.ts'
import type { AuditTables } from '#plugins/audit/contract/tables.ts'
import { findOnPath } from '#test/harness/find-on-path.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import type { Bench, FigureOf } from '../tools/bench.ts'
import { interleave } from '../tools/rounds.ts'
import type { Candidate } from '../tools/rounds.ts'
import { withScope } from '../tools/scope.ts'
import { quantile } from '../tools/statistics.ts'
import { fillDays, openAuditStore } from './rows.ts'

const total = Number(process.env['MESH_BENCH_AUDIT_ROWS'] ?? 200_000)
const days = 90
// Longer than the filled days, so that every row may be read.
const retentionDays = days + 5
const reads = 200
const limit = 51

/** Input of a read: the namespace of the proof ('' for all of them), and filters. */
interface Asked {
  readonly name: string
  readonly access: AccessScope<'list', 'auditlogs'>
  readonly filter: AuditFilter
}

const actor = 'user-1@example.com'
const [action, kind] = ['update', 'AgentDeployment']
const outcome = 'denied'
const daysAgo = (n: number): string => new Date(Date.now() - n * 86_400_000).toISOString()
const window = { from: daysAgo(60), to: daysAgo(30) }
const asked: readonly Asked[] = [
  ask('none', '', {}),
  ask('namespace', 'team-1', {}),
  ask('actor', '', { actor }),
  ask('action', '', { action }),
  ask('kind', '', { kind }),
  ask('namespace, actor', 'team-1', { actor }),
  ask('namespace, action', 'team-1', { action }),
  ask('actor, kind', '', { actor, kind }),
  ask('outcome', '', { outcome }),
  ask('namespace, outcome', 'team-0', { outcome }),
  ask('name', '', { resourceName: 'agent-7' }),
  ask('kind of actor, source', '', { actorKind: 'user', source: 'controller' }),
  ask('time', '', window),
  ask('outcome, time', '', { outcome, ...window }),
  ask('actor, time', '', { actor, ...window }),
  ask('all four', 'team-1', { actor, action, kind }),
]

/** Pages of the audit log by each filter: the first one against one far down, and both against pgbench with the same SQL. */
export const bench: Bench = {
  title: `pages of ${limit} of ${total} audit rows in ${days} days, p99 (ms); MESH_BENCH_AUDIT_ROWS sets how many`,
  database: 'filled',
  measure: () =>
    withScope(async (t) => {
      const { url, store, client } = await openAuditStore(t)
      await fillDays(client, total, days)
      await client.query('vacuum analyze audit_log')
      const folder = tempFolder('bench-audit-read')
      t.after(folder.remove)
      const deep = new Map<string, AuditKey>()
      for (const one of asked) deep.set(one.name, await keyFarDown(store, one))
      const pages = asked.flatMap((one) => [
        { figure: `first: ${one.name}`, query: pageOf(store, one) },
        { figure: `deep: ${one.name}`, query: pageOf(store, one, deep.get(one.name)) },
      ])
      return interleave([reader(pages), pgbench(url, folder.path, pages)], { rounds: 3, most: 6 })
    }),
  goals: (figureOf) => [
    worst('deep page against the first', 1.2, (one) =>
      ratio(figureOf, ['audit', `deep: ${one}`], ['audit', `first: ${one}`]),
    ),
    worst('first page against pgbench', 2, (one) =>
      ratio(figureOf, ['audit', `first: ${one}`], ['pgbench', `first: ${one}`]),
    ),
    worst('deep page against pgbench', 2, (one) =>
      ratio(figureOf, ['audit', `deep: ${one}`], ['pgbench', `deep: ${one}`]),
    ),
  ],
}

interface Page {
  readonly figure: string
  readonly query: ReturnType<typeof auditPage>
}

function pageOf(store: Store, { access, filter }: Asked, after?: AuditKey): Page['query'] {
  return auditPage(store.reader<AuditTables>(), access, filter, { limit, after, retentionDays })
}

// At two thirds, so that every filter has a full page left.
async function keyFarDown(store: Store, one: Asked): Promise<AuditKey> {
  const every = pageOf(store, one).clearLimit().clearSelect()
  const { n } = await every
    .clearOrderBy()
    .select(({ fn }) => fn.countAll<string>().as('n'))
    .executeTakeFirstOrThrow()
  const row = await every
    .select(['occurred_at', 'id'])
    .offset(Math.floor((Number(n) * 2) / 3))
    .limit(1)
    .executeTakeFirstOrThrow()
  return { occurredAt: row.occurred_at, id: row.id }
}

function reader(pages: readonly Page[]): Candidate {
  return {
    name: 'audit',
    run: async () => {
      const times = pages.map((): number[] => [])
      for (let n = 0; n < reads; n++)
        for (const [index, { query }] of pages.entries()) {
          const from = performance.now()
          await query.execute()
          times[index]?.push(performance.now() - from)
        }
      return Object.fromEntries(pages.map(({ figure }, index) => [figure, quantile(times[index] ?? [], 0.99)]))
    },
  }
}

function pgbench(url: string, folder: string, pages: readonly Page[]): Candidate {
  const program = findOnPath('pgbench') ?? '/usr/lib/postgresql/15/bin/pgbench'
  return {
    name: 'pgbench',
    run: async () => {
      const figures: Record<string, number> = {}
      for (const [index, { figure, query }] of pages.entries()) {
        const { sql, parameters } = query.compile()
        const script = join(folder, `${index}.sql`)
        writeFileSync(script, `${sql.replaceAll(/\$(\d+)/g, ':p$1')};\n`)
        const values = parameters.map(
          (value, at) => `-Dp${at + 1}=${value instanceof Date ? value.toISOString() : value}`,
        )
        const log = join(folder, `${index}-${performance.now()}`)
        const options = [
          '-n',
          '-M',
          'prepared',
          '-t',
          String(reads),
          '-l',
          `--log-prefix=${log}`,
          '-f',
          script,
          ...values,
        ]
        await promisify(execFile)(program, [...options, url])
        figures[figure] = quantile(latencies(folder, log), 0.99)
      }
      return figures
    },
  }
}

// One line per transaction; its third field is microseconds (pgbench, per-transaction logging).
function latencies(folder: string, log: string): readonly number[] {
  const files = readdirSync(folder).filter((name) => join(folder, name).startsWith(log))
  const lines = files.flatMap((name) => readFileSync(join(folder, name), 'utf8').trim().split('\n'))
  return lines.map((line) => Number(line.split(' ')[2]) / 1000)
}

function ask(name: string, namespace: string, filter: AuditFilter): Asked {
  return { name, access: [{ namespace } as Access<'list', 'auditlogs'>], filter }
}

function ratio(figureOf: FigureOf, one: readonly [string, string], other: readonly [string, string]): number {
  return figureOf(...one) / figureOf(...other)
}

// The filter furthest from the goal represents all.
function worst(text: string, most: number, of: (filter: string) => number) {
  const [found] = asked.map(({ name }) => ({ name, value: of(name) })).toSorted((a, b) => b.value - a.value)
  return {
    number: 9,
    text: `${text}, ratio of p99, worst filter (${found?.name})`,
    value: found?.value ?? Number.NaN,
    limit: most,
  }
}
