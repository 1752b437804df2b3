import type { Static } from 'typebox'
import type { ApiInput } from '#cli/contract/command.ts'
import type { ResourceTable } from '#cli/contract/resource-table.ts'
import type { TraceDetail, TraceOverview } from '#schemas/api/traces.ts'

type ListedTrace = Static<typeof TraceOverview>
type ShownTrace = Static<typeof TraceDetail>

const list: ResourceTable<ListedTrace> = {
  name: ({ traceId }) => `trace/${traceId}`,
  columns: {
    ID: ({ traceId }) => traceId,
    AGENT: ({ namespace, agent }) => `${namespace}/${agent}`,
    NAME: ({ name }) => name,
    STATUS: ({ status }) => status,
    MS: ({ durationMs }) => Math.round(durationMs),
    AGE: ({ startedAt }) => new Date(startedAt),
  },
  wide: {
    SPANS: ({ spans }) => spans,
    ERRORS: ({ errors }) => errors,
    RUN: ({ runId }) => runId,
    COST: ({ costs }) => {
      const cost = costs?.treeCost ?? null
      return cost === null ? undefined : `${cost.amount} ${cost.currency}`
    },
  },
}

const one: ResourceTable<ShownTrace> = {
  name: ({ traceId }) => `trace/${traceId}`,
  columns: {
    ID: ({ traceId }) => traceId,
    RUN: ({ run }) => run?.id,
    SPANS: ({ spans }) => spans,
    ROOTS: ({ roots }) => roots.map(({ name }) => name).join(', '),
  },
}

interface TraceListValues {
  readonly limit: number
  readonly agent: string | undefined
  readonly name: string | undefined
  readonly status: string | undefined
  readonly 'min-duration': string | undefined
  readonly from: string | undefined
  readonly to: string | undefined
}

/** Lists traces. */
export async function printTraces({ api, scope, values, printer }: ApiInput<TraceListValues>): Promise<number> {
  const { limit, agent, name, status, 'min-duration': minDuration, from, to } = values
  const query = { ...scope, agent, name, status, minDuration, from, to }
  await printer.list(list, await api.list<ListedTrace>(['traces'], query, limit))
  return 0
}

/** Shows a trace with its spans. */
export async function printTrace({ api, values, printer }: ApiInput<{ readonly trace: string }>): Promise<number> {
  await printer.one(one, await api.get<ShownTrace>(['traces', values.trace, 'detail']))
  return 0
}
