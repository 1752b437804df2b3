import { uuidV7 } from '#core/async/uuid-v7.ts'
import type { Access } from '#core/cluster/caller.ts'
import type { Core } from '#core/plugin/core-services.ts'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint, Call } from '#core/http/endpoint/endpoint.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { openEventStream } from '#core/http/stream/event-stream.ts'
import { parseRef } from '#core/kube/names.ts'
import { RunEvent } from '#schemas/api/run-events.ts'
import { Run } from '#schemas/api/runs.ts'
import { CreateRunBody, InvokeBody, InvokedRun } from '#schemas/api/run-requests.ts'
import { durationToMs } from '#schemas/values/duration.ts'
import { acceptsAgUi } from '../ag-ui/accepts.ts'
import { streamAgUi } from '../ag-ui/stream-ag-ui.ts'
import { encodeLiveFrame } from '../stream/encode-frame.ts'
import type { CallerRunsServices } from '../services/create-services.ts'
import { subscribeToEnd, waitForRun } from '../stream/wait-for-run.ts'
import type { RunDetail } from '../contract/run.ts'
import { streamRun } from '../stream/stream-run.ts'
import { describeError } from '#core/log/describe-error.ts'

const authz = {
  kind: 'review',
  verb: 'create',
  resource: 'agentdeployments/invoke',
  namespace: { in: 'body', field: 'agent.namespace' },
  name: 'agent.name',
} as const
const audit = { action: 'create', resourceKind: 'Run' }

const bodyExample = { agent: { namespace: 'demo', name: 'hello' }, input: 'Hi' }

type InvokeAccess = Access<'create', 'agentdeployments/invoke'>
type InvokeCall = Call<unknown, unknown, unknown, InvokeAccess>

interface RunBody {
  readonly agent: { readonly namespace: string; readonly name: string }
  readonly input?: unknown
  readonly conversationId?: string
  readonly labels?: Readonly<Record<string, string>>
}

/** Services used by these endpoints. */
type Invoking = Pick<CallerRunsServices, 'runs' | 'live' | 'store' | 'watch' | 'settings'> & {
  readonly core: Pick<Core, 'log'>
}

/** Creation of runs by a caller: queued, or with a wait for the outcome. */
export function invokeEndpoints(services: Invoking): readonly AnyEndpoint[] {
  const make = (call: InvokeCall, body: RunBody, runId?: string): Promise<RunDetail> => {
    const { caller, access, traceparent, idempotency } = call
    const { conversationId, labels } = body
    const agent = parseRef(body.agent, ['/agent/namespace', '/agent/name'])
    const request = {
      agent,
      input: body.input,
      conversationId,
      labels,
      traceparent,
      trigger: 'api',
      runId,
      idempotency,
    }
    return services.runs.create(caller, access, request)
  }
  const create = endpoint({
    method: 'POST',
    url: '/runs',
    id: 'createRun',
    docs: { examples: { text: { summary: 'A text as input', value: bodyExample } } },
    summary: 'Create a run of an agent; it is queued.',
    authz,
    audit,
    idempotent: true,
    body: CreateRunBody,
    response: { 201: Run },
    handle: async (call) => {
      const run = await make(call, call.body)
      call.reply.header('location', `/api/runs/${run.id}`)
      return run
    },
  })
  const invoke = endpoint({
    method: 'POST',
    url: '/invoke',
    id: 'invokeAgent',
    docs: {
      examples: {
        text: { summary: 'A text as input', value: bodyExample },
        timeout: { summary: 'Wait for at most ten seconds', value: { ...bodyExample, timeout: '10s' } },
      },
      sends: ['Location', 'X-Mesh-Run-Id'],
      events: RunEvent,
    },
    summary:
      'Invoke an agent and wait for its run to end. Returns 202 with the unfinished run on timeout, and 200 for a failed run.',
    authz,
    audit,
    idempotent: true,
    waits: true,
    body: InvokeBody,
    response: { 200: InvokedRun, 202: InvokedRun },
    handle: async (call) => {
      const streams = call.headers['accept']?.includes('text/event-stream') === true
      const isReadable = await reviewReading(call, streams)
      if (streams) return streamed(services, call, await make(call, call.body))
      const { run, ended } = isReadable
        ? await invokeAndWait(services, call, (runId) => make(call, call.body, runId))
        : { run: await make(call, call.body), ended: undefined }
      call.reply.header('x-mesh-run-id', run.id)
      const explained = async (known: RunDetail) => services.runs.explain(call.caller, run.id).catch(() => known)
      if (ended) return toInvoked(ended.failReason === 'agent_unreachable' ? await explained(ended) : ended)
      call.reply.code(202).header('location', `/api/runs/${run.id}`)
      // The run exists. A failing read must not hide it.
      return toInvoked(isReadable ? await explained(run) : run)
    },
  })
  return [create, invoke]
}

/**
 * Reviewed before the run exists, so that no created run is refused (SEC18). Without `get runs` the caller receives the id of the run
 * and no outcome; a stream is refused. An `Idempotency-Key` repeats the run, not its stream.
 */
async function reviewReading(call: InvokeCall, streams: boolean): Promise<boolean> {
  const { caller, access, headers } = call
  const where = { namespace: access.namespace }
  if (!streams) return (await caller.may('get', 'runs', where)) !== undefined
  if (headers['idempotency-key'] !== undefined)
    throw new Fail(
      'malformed_request',
      'Idempotency-Key: not with text/event-stream; POST /api/runs with the key, then GET /api/runs/{id}/events.',
      { errors: [{ pointer: 'Idempotency-Key', detail: 'not with text/event-stream' }] },
    )
  await caller.review('get', 'runs', where)
  return true
}

/**
 * Creates a run and waits for its outcome, with a subscription opened before the run exists, so that its end is not missed. Afterwards an error of
 * the wait does not fail the request: the response has the run id.
 */
async function invokeAndWait(
  { runs, live, settings, core }: Invoking,
  { caller, access, body, signal }: Call<unknown, unknown, { readonly timeout?: string }, InvokeAccess>,
  create: (runId: string) => Promise<RunDetail>,
): Promise<{ readonly run: RunDetail; readonly ended: RunDetail | undefined }> {
  const since = subscribeToEnd(live, uuidV7())
  try {
    const run = await create(since.runId)
    const namespace = access.namespace === '' ? undefined : access.namespace
    const read = () => runs.get(caller, run.id, namespace)
    const timeoutMs = durationToMs(body.timeout ?? '') ?? settings.invokeTimeout * 1000
    const ended = await waitForRun(live, run.id, { read, timeoutMs, signal, since }).catch((error: unknown) => {
      core.log.warn({ runId: run.id, ...describeError(error) }, 'waiting for a run failed, responding with 202')
      return undefined
    })
    return { run, ended }
  } finally {
    await since.stop()
  }
}

/** Creates the run and streams its events. A disconnect ends the stream, never the run. */
async function streamed(
  services: Invoking,
  call: Call<unknown, unknown, unknown>,
  made: RunDetail,
): Promise<undefined> {
  const { run } = await services.runs.open(call.caller, made.id)
  call.reply.header('x-mesh-run-id', made.id)
  if (acceptsAgUi(call.headers['accept'])) {
    const as = { threadId: run.conversation_id, runId: run.id, isCurrent: true }
    return streamAgUi(services, call, { run, as, endsAtPause: false }, () => services.runs.open(call.caller, made.id))
  }
  const stream = openEventStream(call, { recheck: () => services.runs.open(call.caller, made.id) })
  const gone = new AbortController()
  // oxlint-disable-next-line typescript/no-floating-promises -- never rejects
  void stream.closed.then(() => gone.abort())
  await streamRun(services, run, 0, { send: (frame) => stream.send(encodeLiveFrame(frame)), signal: gone.signal })
  stream.end()
  return undefined
}

function toInvoked(run: RunDetail) {
  return { ...run, runId: run.id }
}
