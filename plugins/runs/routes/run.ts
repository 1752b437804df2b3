import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { openEventStream } from '#core/http/stream/event-stream.ts'
import { eventStreamText, nothing } from '#schemas/api/common.ts'
import { RunEvent, RunEventsQuery, RunTree, RunTreeQuery } from '#schemas/api/run-events.ts'
import { Run } from '#schemas/api/runs.ts'
import { ResumeBody, RunParams } from '#schemas/api/run-requests.ts'
import { acceptsAgUi } from '../ag-ui/accepts.ts'
import { streamAgUi } from '../ag-ui/stream-ag-ui.ts'
import { encodeLiveFrame } from '../stream/encode-frame.ts'
import type { CallerRunsServices } from '../services/create-services.ts'
import { readJournalEnds } from '../store/reads.ts'
import type { RunsTables, SelectedRun } from '../contract/tables.ts'
import { nothingAfter, streamRun } from '../stream/stream-run.ts'

const audit = (action: string) => ({ action, resourceKind: 'Run' })
const update = { kind: 'row', verb: 'update', resource: 'runs' } as const
const get = { kind: 'row', verb: 'get', resource: 'runs' } as const

const resumeExamples = {
  approve: { summary: 'Approve a tool call', value: { decision: 'approve' } },
  reject: { summary: 'Reject it', value: { decision: 'reject', reason: 'no numbers' } },
  answer: { summary: 'Answer a question', value: { payload: 'Paris' } },
}

/** Dependencies of the routes of one run. */
export type RunEndpointServices = Pick<CallerRunsServices, 'runs' | 'store' | 'live' | 'watch'>

/** Routes of one run. A run that the caller may not `get` is reported as unknown on every method. */
export function runEndpoints(services: RunEndpointServices): readonly AnyEndpoint[] {
  const { runs } = services
  return [
    endpoint({
      method: 'GET',
      url: '/runs/:id',
      id: 'getRun',
      summary: 'Get a run with its input, output and open interrupts.',
      authz: get,
      params: RunParams,
      response: { 200: Run },
      handle: ({ caller, params }) => runs.explain(caller, params.id),
    }),
    endpoint({
      method: 'GET',
      url: '/runs/:id/tree',
      id: 'getRunTree',
      summary: 'Get the steps, messages, model and tool calls of a run as a span tree, in parts if it is long.',
      authz: get,
      params: RunParams,
      query: RunTreeQuery,
      response: { 200: RunTree },
      handle: async ({ caller, params, query: { after = 0 } }) => {
        if (after > 0) await refuseFuture(services, (await runs.open(caller, params.id)).run, after, '?after')
        return runs.tree(caller, params.id, after)
      },
    }),
    endpoint({
      method: 'POST',
      url: '/runs/:id/resume',
      id: 'resumeRun',
      docs: { examples: resumeExamples },
      summary: 'Resume a paused run with the answer to an interrupt.',
      authz: update,
      audit: audit('resume'),
      idempotent: true,
      params: RunParams,
      body: ResumeBody,
      response: { 202: Run },
      review: ({ caller, params }) => runs.mayUpdate(caller, params.id),
      handle: (call) => runs.resume(call, call.params.id, call.body),
    }),
    endpoint({
      method: 'POST',
      url: '/runs/:id/cancel',
      id: 'cancelRun',
      summary: 'Cancel a run and the runs that it started.',
      authz: update,
      audit: audit('cancel'),
      idempotent: true,
      params: RunParams,
      response: { 202: Run },
      review: ({ caller, params }) => runs.mayUpdate(caller, params.id),
      handle: (call) => runs.cancel(call, call.params.id),
    }),
    eventStream(services),
  ]
}

function eventStream(services: RunEndpointServices): AnyEndpoint {
  const { runs } = services
  return endpoint({
    method: 'GET',
    url: '/runs/:id/events',
    id: 'streamRunEvents',
    docs: { reads: ['Last-Event-ID'], events: RunEvent },
    summary: 'Stream the events of a run (text/event-stream); continues after Last-Event-ID or ?after=.',
    authz: get,
    stream: true,
    params: RunParams,
    query: RunEventsQuery,
    response: { 200: eventStreamText, 204: nothing },
    handle: async (call) => {
      const { caller, params, query, headers, reply } = call
      const { run } = await runs.open(caller, params.id)
      const after = query.after ?? readLastId(headers['last-event-id'])
      await refuseFuture(services, run, after, query.after === undefined ? 'Last-Event-ID' : '?after')
      if (await nothingAfter(services, run, after)) {
        reply.code(204)
        return
      }
      if (acceptsAgUi(headers['accept'])) {
        const as = { threadId: run.conversation_id, runId: run.id, isCurrent: true }
        return streamAgUi(services, call, { run, as, after, endsAtPause: false }, () => runs.open(caller, params.id))
      }
      const stream = openEventStream(call, { recheck: () => runs.open(caller, params.id) })
      const gone = new AbortController()
      // oxlint-disable-next-line typescript/no-floating-promises -- never rejects
      void stream.closed.then(() => gone.abort())
      await streamRun(services, run, after, {
        send: (frame) => stream.send(encodeLiveFrame(frame)),
        signal: gone.signal,
      })
      stream.end()
      return undefined
    },
  })
}

// A position beyond the journal is refused: the client would discard the next entries as old ones.
async function refuseFuture(
  { store }: RunEndpointServices,
  run: SelectedRun,
  after: number,
  pointer: string,
): Promise<void> {
  if (after === 0) return
  const newest = (await readJournalEnds(store.reader<RunsTables>(), [run.id])).get(run.id) ?? 0
  if (after <= newest) return
  const detail = `is beyond the newest entry (${newest})`
  throw new Fail('malformed_request', `${pointer.replace('?', '')} ${detail}.`, { errors: [{ pointer, detail }] })
}

function readLastId(header: string | undefined): number {
  if (header === undefined) return 0
  if (/^\d{1,10}$/.test(header)) return Number(header)
  throw new Fail('malformed_request', 'Last-Event-ID is not an id of this stream.', {
    errors: [{ pointer: 'Last-Event-ID', detail: 'must be a whole number' }],
  })
}
