import { randomUUID } from 'node:crypto'
import { parseTraceparent } from '#core/telemetry/traceparent.ts'
import { singleHeader } from '../../contract/http/headers.ts'
import { streamed } from '../../contract/http/port.ts'
import type { Call, Handlers, Reply } from '../../contract/http/port.ts'
import { Refusal } from '../../contract/http/refusal.ts'
import type { Attempt } from '../../runs/attempt.ts'
import type { RunRegistry } from '../../runs/run-registry.ts'
import type { Authorizer } from './authorizer.ts'
import { streamEvents } from './event-stream.ts'
import type { invokePort } from './port.ts'

type Routes = typeof invokePort.routes
type Known = Reply<Routes['run']>

/** Dependencies of the handlers of runs. */
export interface RunHandlersOptions {
  readonly registry: RunRegistry
  readonly authorizer: Authorizer
  readonly unsigned: boolean
  /** Revision of the agent; undefined if unknown. */
  readonly agentRevision: number | undefined
  /** Takes runs that name its revision only. Default: runs that name none, too. */
  readonly isCandidate?: boolean | undefined
  /** True once the agent has been ready; runs do not start before. */
  readonly started: () => boolean
}

/** Handlers of port 8080 for workers. */
export function runHandlers(options: RunHandlersOptions) {
  const { registry, authorizer } = options
  const attach = async (
    { request }: Pick<Call, 'request'>,
    id: string,
  ): Promise<{ attempt: Attempt; epoch: number }> => {
    const runId = parseRunId(id)
    const { epoch } = await authorizer.attach(request, runId)
    return { attempt: registry.attach(runId, epoch), epoch }
  }
  return {
    invoke: (call) => invoke(call, options),
    run: async (call) => known((await attach(call, call.params.id)).attempt, options),
    events: async (call) => {
      const after = parseAfter(call)
      streamEvents(call.response, (await attach(call, call.params.id)).attempt, after)
      return streamed
    },
    ticket: async ({ request, params }) => {
      await authorizer.attach(request, parseRunId(params.id))
      checkRevision(request, options)
      return { status: 200, body: { ticket: registry.ticket(options.started()) } }
    },
    acknowledge: async ({ request, params }) => {
      const runId = parseRunId(params.id)
      registry.acknowledge(runId, (await authorizer.attach(request, runId)).epoch)
      return { status: 204 }
    },
    cancel: async (call) => {
      const { attempt } = await attach(call, call.params.id)
      attempt.stop('cancel')
      await attempt.stopped
      return known(attempt, options)
    },
  } satisfies Partial<Handlers<Routes>>
}

// Responds with a known outcome, otherwise 202: the worker reads the journal by `GET /runs/{id}/events`.
function known(attempt: Attempt, { agentRevision }: RunHandlersOptions): Known {
  const result = attempt.result()
  const about = { runId: attempt.runId, ...(agentRevision === undefined ? {} : { agentRevision }) }
  const headers = { 'x-mesh-run-id': attempt.runId }
  if (result === undefined) return { status: 202, body: { ...about, state: 'running' }, headers }
  return { status: 200, body: { ...about, ...result }, headers }
}

async function invoke(call: Call<Routes['invoke']>, options: RunHandlersOptions): Promise<Known | typeof streamed> {
  const { request, body } = call
  const given = singleHeader(request, 'x-mesh-run-id')
  const direct = given === undefined && options.unsigned
  const runId = direct ? randomUUID() : parseRunId(given)
  // Before the body is read: it may have 16 MiB.
  const { epoch, authority } = await options.authorizer.invoke(request, runId)
  checkRevision(request, options)
  const attempt = options.registry.start({
    runId,
    epoch,
    authority,
    request: await body(),
    parent: parseTraceparent(singleHeader(request, 'traceparent')),
    ticket: singleHeader(request, 'x-mesh-ticket'),
    ready: options.started(),
  })
  return direct ? answerDirectly(call, attempt, options) : known(attempt, options)
}

// For curl (`meshctl dev`): no worker reads the journal, so the response contains the outcome.
async function answerDirectly(
  { request, response }: Call<Routes['invoke']>,
  attempt: Attempt,
  options: RunHandlersOptions,
): Promise<Known | typeof streamed> {
  const live = request.headers.accept?.includes('text/event-stream') === true
  if (live) streamEvents(response, attempt, 0)
  await attempt.done
  const outcome = known(attempt, options)
  options.registry.acknowledge(attempt.runId, 0)
  return live ? streamed : outcome
}

// A worker invokes with a ticket of this process, whose request names the revision. A worker of an earlier version has no ticket and names none.
function checkRevision(request: Call['request'], { agentRevision, isCandidate }: RunHandlersOptions): void {
  const wanted = singleHeader(request, 'x-mesh-agent-revision')
  const isWanted = wanted === undefined ? isCandidate !== true : wanted === String(agentRevision)
  if (!isWanted) throw new Refusal('other_revision', undefined, { 'retry-after': '1' })
}

function parseRunId(text: string | undefined): string {
  if (text === undefined) throw new Refusal('unauthenticated', 'X-Mesh-Run-Id is required')
  if (!/^[\w.-]{1,128}$/.test(text)) throw new Refusal('malformed_request', 'the run id is malformed')
  return text
}

function parseAfter({ request, query }: Pick<Call, 'request' | 'query'>): number {
  const text = query.get('after') ?? singleHeader(request, 'last-event-id') ?? '0'
  if (!/^\d{1,12}$/.test(text)) throw new Refusal('malformed_request', 'after: must be a whole number')
  return Number(text)
}
