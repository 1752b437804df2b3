import type { Static } from 'typebox'
import type { Part } from '#core/http/endpoint/mountable.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { rowList } from '#core/http/store/row-routes.ts'
import type { RunOfTrace } from '#plugins/runs/contract/api.ts'
import { TraceList, TraceListQuery } from '#schemas/api/traces.ts'
import type { TraceOverview } from '#schemas/api/traces.ts'
import { durationToMs } from '#schemas/values/duration.ts'
import type { TracesTables } from '../contract/tables.ts'
import type { TracesServices } from '../services/create-services.ts'
import { listSummaries } from '../store/summaries.ts'
import type { SelectedSummary, TraceFilter } from '../store/summaries.ts'
import { storedPart } from './traces.ts'

interface ListedTrace {
  readonly row: SelectedSummary
  readonly run: RunOfTrace | undefined
}

/** `GET /api/traces`: traces with stored spans. Who may list the runs of a namespace may list its traces, which reveal no more. */
export function listPart({ core: { store }, runs, settings: { adapter } }: TracesServices): Part {
  const list = rowList({ resource: 'runs', kind: 'Run' } as const, {
    url: '/traces',
    id: 'listTraces',
    summary:
      'List traces, newest first. A trace across namespaces has an item for its part in each. Without a namespace, for the whole cluster; with scope=permitted, for the namespaces that the caller may see.',
    query: TraceListQuery,
    page: TraceList,
    select: ({ query }) => {
      const filter = toFilter(query)
      return async (access, page): Promise<readonly ListedTrace[]> => {
        const rows = await listSummaries(store.reader<TracesTables>(), access, filter, page)
        const found = await runs.ofTraces(
          access,
          rows.map((row) => row.trace_id),
        )
        return rows.map((row) => ({ row, run: found.get(row.trace_id) }))
      }
    },
    keyOf: ({ row }) => [row.started_at.toISOString(), row.trace_id, row.namespace_uid],
    show: toOverview,
  })
  return storedPart('traces.list', adapter, list)
}

function toFilter({ from, to, agent, name, status, minDuration }: Static<typeof TraceListQuery>): TraceFilter {
  const range = {
    from: from === undefined ? undefined : new Date(from),
    to: to === undefined ? undefined : new Date(to),
  }
  if (range.from !== undefined && range.to !== undefined && range.from >= range.to)
    throw new Fail('invalid_query', undefined, { errors: [{ pointer: '?to', detail: 'must be later than from' }] })
  const minDurationMs = minDuration === undefined ? undefined : durationToMs(minDuration)
  return { ...range, agent, name, status, minDurationMs }
}

function toOverview({ row, run }: ListedTrace): Static<typeof TraceOverview> {
  const { namespace, name, kind, service, status, spans, errors } = row
  return {
    traceId: row.trace_id,
    namespace,
    agent: row.agent_name,
    name,
    kind,
    service,
    spanId: row.span_id,
    status,
    startedAt: row.started_at.toISOString(),
    durationMs: Number(row.ended_nanos - row.started_nanos) / 1e6,
    spans,
    errors,
    runId: run?.id ?? null,
    costs: run?.costs ?? null,
  }
}
