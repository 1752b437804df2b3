import { Fail } from '#core/errors/domain-error.ts'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { Call } from '#core/http/endpoint/endpoint.ts'
import type { Part } from '#core/http/endpoint/mountable.ts'
import type { DnsLabel } from '#core/kube/names.ts'
import type { FoundRun, RunReference } from '#plugins/runs/contract/api.ts'
import { TraceDetail, TraceParams, TraceSummary } from '#schemas/api/traces.ts'
import { isTraceId } from '#schemas/launcher/feedback.ts'
import { mayHaveContent } from '#core/otlp/content-keys.ts'
import { findContentsFor } from '../services/find-contents.ts'
import { buildTrace } from '../spans/build-trace.ts'
import type { TracesServices } from '../services/create-services.ts'
import { namespacesOfTrace, readChunks, readTotals } from '../store/read-spans.ts'
import type { TraceAccess } from '../store/read-spans.ts'
import type { TracesSettings } from '../contract/settings.ts'
import type { TracesTables } from '../contract/tables.ts'

const authz = { kind: 'row', verb: 'get', resource: 'runs' } as const
const off = 'Traces are off (setting "traces.adapter").'
const elsewhere = 'Spans are kept in the OTLP backend only (setting "traces.adapter").'

/** `GET /api/traces/{id}`: summary of a trace, and the link to its viewer. */
export function summaryPart(services: TracesServices): Part {
  const { adapter } = services.settings
  const get = endpoint({
    method: 'GET',
    url: '/traces/:id',
    id: 'getTrace',
    summary: 'Get the run, the agents and the URL of a trace, by trace id or run id.',
    authz,
    params: TraceParams,
    response: { 200: TraceSummary },
    handle: async ({ caller, params }) => {
      const trace = await openTrace(services, caller, params.id)
      const totals = await readTotals(reader(services), trace.accesses, trace.traceId)
      return {
        ...(await headOf(services, trace)),
        spans: totals.reduce((sum, { spans }) => sum + spans, 0),
        agents: totals.map(({ namespace, agent: name, spans }) => ({ namespace, name, spans })),
      }
    },
  })
  return partOf('traces', adapter === 'none' ? off : undefined, get)
}

/** `GET /api/traces/{id}/detail`: the tree of the stored spans. */
export function detailPart(services: TracesServices): Part {
  const { adapter } = services.settings
  const get = endpoint({
    method: 'GET',
    url: '/traces/:id/detail',
    id: 'getTraceDetail',
    summary: 'Get the spans of a trace as a tree, by trace id or run id.',
    authz,
    params: TraceParams,
    response: { 200: TraceDetail },
    handle: async ({ caller, params }) => {
      const trace = await openTrace(services, caller, params.id)
      const { chunks, truncated } = await readChunks(reader(services), trace.accesses, trace.traceId)
      const namespaces = trace.accesses.map(({ namespace }) => namespace)
      const former = chunks.filter(({ content }) => mayHaveContent(content)).map(({ namespace }) => namespace)
      const find = await findContentsFor(reader(services), caller, { traceId: trace.traceId, namespaces }, former)
      return { ...(await headOf(services, trace)), truncated, ...buildTrace(chunks, find) }
    },
  })
  return storedPart('traces.detail', adapter, get)
}

/** A part that needs the stored spans. */
export function storedPart(
  capability: string,
  adapter: TracesSettings['adapter'],
  get: Part['endpoints'][number],
): Part {
  const because = adapter === 'none' ? off : elsewhere
  return partOf(capability, adapter === 'builtin' ? undefined : because, get)
}

function partOf(capability: string, because: string | undefined, get: Part['endpoints'][number]): Part {
  const wiring = because === undefined ? ({ wiring: 'ready' } as const) : ({ wiring: 'unwired', because } as const)
  return { capability, ...wiring, setting: 'traces.adapter', endpoints: [get] }
}

/** A trace that the caller may read at least in part. */
interface OpenTrace {
  readonly traceId: string
  readonly run: FoundRun | undefined
  readonly accesses: readonly TraceAccess[]
}

type Caller = Pick<Call<unknown, unknown, unknown>['caller'], 'may'>

// A trace of which the caller may read nothing is reported as unknown.
async function openTrace(services: TracesServices, caller: Caller, id: string): Promise<OpenTrace> {
  const run = await findRun(services, caller, isTraceId(id) ? { traceId: id } : { runId: id })
  if (run === undefined && !isTraceId(id)) throw new Fail('not_found')
  const traceId = run?.traceId ?? id
  const namespaces = new Set(await namespacesOfTrace(reader(services), traceId))
  if (run !== undefined) namespaces.add(run.namespace)
  const accesses = await Promise.all(
    [...namespaces].map((namespace) => caller.may('get', 'runs', { namespace: namespace as DnsLabel })),
  )
  const granted = accesses.filter((access) => access !== undefined)
  if (granted.length === 0) throw new Fail('not_found')
  return { traceId, run, accesses: granted }
}

async function findRun(
  { runs }: TracesServices,
  caller: Caller,
  reference: RunReference,
): Promise<FoundRun | undefined> {
  try {
    return await runs.find(caller, reference)
  } catch (error) {
    if (error instanceof Fail && error.code === 'not_found') return undefined
    throw error
  }
}

async function headOf({ settings: { link }, runs }: TracesServices, { traceId, run }: OpenTrace) {
  return {
    traceId,
    run: run === undefined ? null : { id: run.id, namespace: run.namespace, agent: run.agent },
    costs: run === undefined ? null : await runs.costsOf(run),
    link: link === undefined ? null : link.replaceAll('{traceId}', traceId),
  }
}

function reader({ core }: TracesServices) {
  return core.store.reader<TracesTables>()
}
