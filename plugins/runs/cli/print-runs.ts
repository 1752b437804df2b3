import type { Static } from 'typebox'
import type { ApiInput } from '#cli/contract/command.ts'
import type { ResourceTable } from '#cli/contract/resource-table.ts'
import type { Run } from '#schemas/api/runs.ts'
import { msToDuration } from '#schemas/values/duration.ts'

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
  },
}

/** Values of the options of a list; those that are strings are its query. */
interface RunListValues extends Readonly<Record<string, unknown>> {
  readonly limit: number
}

/** The query of options: `--min-duration` is `minDuration`. Other options have no value here. */
export function toRunQuery(values: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const given = Object.entries(values).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  return Object.fromEntries(
    given.map(([name, value]) => [name.replaceAll(/-(.)/g, (_, sign: string) => sign.toUpperCase()), value]),
  )
}

/** Lists runs. */
export async function printRuns({ api, scope, values, printer }: ApiInput<RunListValues>): Promise<number> {
  const { limit, ...given } = values
  await printer.list(table, await api.list<ShownRun>(['runs'], { ...scope, ...toRunQuery(given) }, limit))
  return 0
}

/** Shows a run. */
export async function printRun({ api, values, printer }: ApiInput<{ readonly run: string }>): Promise<number> {
  await printer.one(table, await api.get<ShownRun>(['runs', values.run]))
  return 0
}
