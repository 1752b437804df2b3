import type { IncomingMessage } from 'node:http'
import type { EntryKind } from '#schemas/run.ts'
import { CONVERSATION_ID_DETAIL, isConversationId } from '#schemas/conversation-id.ts'
import { durationBounds, durationProblem, durationToMs } from '#schemas/duration.ts'
import { parseTraceparent } from '#core/telemetry/traceparent.ts'
import { singleHeader } from '../http/guard.ts'
import { asRecord, readJson, refuseUnknown } from '../http/json-body.ts'
import { answer } from '../http/listener.ts'
import type { Exchange, Route } from '../http/listener.ts'
import { Refusal } from '../http/refusal.ts'
import type { Tracer } from '#core/telemetry/tracer.ts'
import type { Delegate } from './delegate.ts'

/** Maximum size of a delegation in bytes. */
export const delegateBodyLimit = 1024 * 1024

/** Dependencies of the routes of port 2994. */
export interface DelegateRoutesOptions {
  readonly delegate: Delegate
  readonly tracer: Tracer
  /** Active runs: a call without a run id belongs to the only active run. */
  readonly activeRuns: () => readonly string[]
  readonly defaultTimeoutMs: number
  /** Appends an entry to the journal of the calling run. */
  readonly emit: (
    runId: string | undefined,
    kind: EntryKind,
    data: Readonly<Record<string, unknown>>,
    spanId: string,
  ) => void
}

/** Routes of port 2994: `POST /delegate`, `GET /healthz`. */
export function delegateRoutes(options: DelegateRoutesOptions): readonly Route[] {
  return [
    { method: 'GET', pattern: '/healthz', handle: ({ response }) => answer(response, 200, { status: 'ok' }) },
    { method: 'POST', pattern: '/delegate', handle: (exchange) => delegateRun(exchange, options) },
  ]
}

async function delegateRun({ request, response }: Exchange, options: DelegateRoutesOptions): Promise<void> {
  const fields = parse(await readJson(request, delegateBodyLimit), options.defaultTimeoutMs)
  const parentRunId = parentOf(request, options.activeRuns())
  const parent = parseTraceparent(singleHeader(request, 'traceparent'))
  const span = options.tracer.start('delegate', parent, {
    'mesh.delegate.agent': fields.agent,
    'mesh.delegate.mode': fields.mode,
  })
  const note = (kind: EntryKind, data: object): void =>
    options.emit(parentRunId, kind, { agent: fields.agent, mode: fields.mode, ...data }, span.spanId)
  const gone = new AbortController()
  response.on('close', () => gone.abort(new Error('the agent closed the connection')))
  try {
    const { run, ended } = await options.delegate({
      ...fields,
      ...(parentRunId === undefined ? {} : { parentRunId }),
      traceparent: span.traceparent,
      signal: gone.signal,
      onCreated: ({ id }) => note('delegate.started', { runId: id }),
    })
    note('delegate.finished', { runId: run.id, state: run.state })
    span.end('ok', { 'mesh.delegate.run': run.id })
    if (ended)
      answer(response, 200, { runId: run.id, state: run.state, output: run.output ?? null, error: run.error ?? null })
    else answer(response, 202, { runId: run.id })
  } catch (error) {
    span.end('error')
    throw error
  }
}

function parse(body: unknown, defaultTimeoutMs: number) {
  const fields = asRecord(body)
  refuseUnknown(fields, ['agent', 'input', 'mode', 'wait', 'timeout', 'conversationId'])
  const { agent, input, mode = 'spawn', wait = true, timeout, conversationId } = fields
  if (typeof agent !== 'string' || !/^(?:[a-z0-9-]{1,63}\/)?[a-z0-9.-]{1,253}$/.test(agent))
    throw new Refusal('malformed_request', 'agent: must be a name or namespace/name')
  if (mode !== 'spawn' && mode !== 'handoff') throw new Refusal('malformed_request', 'mode: must be spawn or handoff')
  if (typeof wait !== 'boolean') throw new Refusal('malformed_request', 'wait: must be true or false')
  const timeoutMs = timeout === undefined ? defaultTimeoutMs : parseTimeout(timeout)
  if (conversationId !== undefined && !isConversationId(conversationId))
    throw new Refusal('malformed_request', `conversationId: ${CONVERSATION_ID_DETAIL}`)
  return { agent, input, mode, wait, timeoutMs, ...(conversationId === undefined ? {} : { conversationId }) } as const
}

function parseTimeout(timeout: unknown): number {
  const text = typeof timeout === 'string' ? timeout : ''
  const problem = durationProblem(text, durationBounds.delegateTimeout)
  if (problem !== undefined) throw new Refusal('malformed_request', `timeout: ${problem}`)
  return durationToMs(text) ?? 0
}

// The run named by the header, else the only active run, else none: the agent acts for itself.
function parentOf(request: IncomingMessage, active: readonly string[]): string | undefined {
  const named = singleHeader(request, 'x-mesh-run-id')
  if (named !== undefined) {
    if (!active.includes(named)) throw new Refusal('unknown_run')
    return named
  }
  return active.length === 1 ? active[0] : undefined
}
