import type { ApiInput } from '#cli/contract/command.ts'
import type { ResourceTable } from '#cli/contract/resource-table.ts'
import type { RunStats } from '#schemas/api/run-stats.ts'
import { msToDuration } from '#schemas/values/duration.ts'
import { toRunQuery } from './query-options.ts'

type Sums = Pick<RunStats, 'count' | 'succeeded' | 'failed' | 'paused' | 'durationMs' | 'usage' | 'cost'>

interface ShownSums extends Sums {
  readonly key?: string | null
  readonly agent?: { readonly namespace: string; readonly name: string }
}

const span = (ms: number | null): string | undefined => (ms === null ? undefined : msToDuration(ms))

const table: ResourceTable<ShownSums> = {
  name: (row) => `group/${nameOf(row)}`,
  columns: {
    GROUP: nameOf,
    RUNS: ({ count }) => count,
    SUCCEEDED: ({ succeeded }) => succeeded,
    FAILED: ({ failed }) => failed,
    PAUSED: ({ paused }) => paused,
    MEDIAN: ({ durationMs: { p50 } }) => span(p50),
    '95%': ({ durationMs: { p95 } }) => span(p95),
    TOKENS: ({ usage }) => usage.inputTokens + usage.outputTokens,
    COST: ({ cost }) => cost.map(({ amount, currency }) => `${amount} ${currency}`).join(' + ') || undefined,
  },
}

function nameOf({ key, agent }: ShownSums): string {
  if (agent !== undefined) return `${agent.namespace}/${agent.name}`
  return key === undefined ? '(all)' : (key ?? '(none)')
}

/** Shows statistics: of all runs, or of each group with the most runs and the others together. */
export async function printStats({
  api,
  scope,
  values,
  printer,
}: ApiInput<Readonly<Record<string, unknown>>>): Promise<number> {
  const stats = await api.get<RunStats>(['runs', 'stats'], { ...scope, ...toRunQuery(values) })
  const others = stats.other === null ? [] : [{ ...stats.other, key: '(others)' }]
  if (stats.groupBy === null) await printer.one<ShownSums>(table, stats)
  else await printer.list<ShownSums>(table, { items: [...stats.groups, ...others], nextCursor: null })
  return 0
}
