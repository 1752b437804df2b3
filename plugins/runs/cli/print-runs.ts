import type { Static } from 'typebox'
import type { ApiInput } from '#cli/contract/command.ts'
import type { ResourceTable } from '#cli/contract/resource-table.ts'
import type { Run } from '#schemas/api/runs.ts'
import { msToDuration } from '#schemas/values/duration.ts'
import { toRunQuery } from './query-options.ts'

type ShownRun = Static<typeof Run>

const table: ResourceTable<ShownRun> = {
  name: ({ id }) => `run/${id}`,
  columns: {
    ID: ({ id }) => id,
    AGENT: ({ agent, executor }) => (agent === null ? executor : `${agent.namespace}/${agent.name}`),
    STATE: ({ state }) => state,
    REASON: ({ failReason, pauseReason, waitReason }) => failReason ?? pauseReason ?? waitReason?.code,
    AGE: ({ createdAt }) => new Date(createdAt),
  },
  wide: {
    SUBJECT: ({ subject }) => subject,
    DURATION: ({ durationMs }) => (durationMs === null ? undefined : msToDuration(durationMs)),
    TOKENS: ({ usage }) => usage.inputTokens + usage.outputTokens,
    COST: ({ cost }) => (cost === null ? undefined : `${cost.amount} ${cost.currency}`),
    TRACE: ({ traceId }) => traceId,
    INPUT: ({ inputPreview }) => inputPreview ?? undefined,
  },
}

/** Values of the options of a list. */
interface RunListValues extends Readonly<Record<string, unknown>> {
  readonly limit: number
}

/** Lists runs. */
export async function printRuns({ api, scope, values, printer }: ApiInput<RunListValues>): Promise<number> {
  const query = { ...scope, ...toRunQuery(values) }
  await printer.list(table, await api.list<ShownRun>(['runs'], query, values.limit))
  return 0
}

/** Shows a run. */
export async function printRun({ api, values, printer }: ApiInput<{ readonly run: string }>): Promise<number> {
  await printer.one(table, await api.get<ShownRun>(['runs', values.run]))
  return 0
}
