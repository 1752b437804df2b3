import type { Dispatcher } from 'undici'
import type { Attributes, Tracer } from '#core/telemetry/tracer.ts'
import type { ActiveRuns } from '../runs/active-runs.ts'
import type { Settings } from '../settings/settings.ts'
import type { Call, RouteContract } from '../http/port.ts'
import { Refusal, isRefusalCode } from '../http/refusal.ts'
import { attribute } from '../runs/attribution.ts'
import type { Attribution } from '../runs/attribution.ts'
import { createStateClient } from './state-client.ts'
import { callState } from './call-state.ts'
import type { PathCall } from './call-state.ts'
import { firstReason } from '#schemas/wire/problem.ts'
import type { PathResponse } from '#schemas/wire/read-response.ts'
import type { StatePath } from '#schemas/wire/state-path.ts'

/** One operation at the state role. */
export interface MemoryOperation<Url extends string = string, Request = unknown, Response = unknown> {
  /** Name of its span. */
  readonly name: string
  readonly path: StatePath<Url, Request, Response>
  readonly call: PathCall<Url, Request>
  /** Attributes of its span: ids and numbers, never content. */
  readonly attributes?: Attributes
}

/** Performs an operation for the built-in loop, in one span. Returns responses of success only; throws `Refusal` for others. */
export type CallMemory<Scope> = <Url extends string, Request, Response>(
  scope: Scope,
  operation: MemoryOperation<Url, Request, Response>,
) => Promise<PathResponse<Response>>

/** Client of the state role for the routes of port 2998. */
export interface MemoryCalls {
  /** As `callFor`, for a request of the agent. */
  readonly call: CallMemory<Pick<Call<RouteContract>, 'request' | 'response'>>
  readonly callFor: CallMemory<Attribution & { readonly signal: AbortSignal }>
}

/** The value of a response. Throws `memory_unavailable` for a body with another schema. */
export function valueOf<T>({ value }: PathResponse<T>): T {
  if (value === undefined) throw new Refusal('memory_unavailable')
  return value
}

// A response may have several MiB, and the launcher has 512 MiB for all of its ports.
const MAX_CALLS = 64
const DEADLINE_MS = 10_000

/** Dependencies of `createMemoryCalls`. */
export interface MemoryCallParts {
  readonly settings: Pick<Settings, 'memoryUrl' | 'stateTokenFile'>
  readonly registry: ActiveRuns
  readonly tracer: Tracer
  readonly dispatcher: () => Promise<Dispatcher>
}

/** Creates the client of a pod. */
export function createMemoryCalls(pod: MemoryCallParts): MemoryCalls {
  const { settings, registry, tracer, dispatcher } = pod
  const { memoryUrl: stateUrl = '', stateTokenFile: tokenFile } = settings
  const state = createStateClient({ stateUrl, tokenFile, dispatcher })
  let running = 0

  const send: MemoryCalls['callFor'] = async ({ runId, parent, signal }, operation) => {
    if (running >= MAX_CALLS) throw new Refusal('too_many_memory_calls')
    const { name, attributes = {}, path, call } = operation
    const ofRun = runId === undefined ? {} : { 'mesh.run.id': runId }
    const span = tracer.start({ name, kind: 'client' }, parent, { ...ofRun, ...attributes })
    running++
    try {
      const headers = {
        traceparent: span.traceparent,
        ...(runId === undefined ? {} : { 'x-mesh-run-id': runId }),
      }
      const sent = (ended: AbortSignal) => callState(state, path, { ...call, headers, signal: ended } as typeof call)
      const response = await within(signal, sent)
      if (response.status < 200 || response.status > 299) throw toRefusal(response)
      span.end('ok')
      return response
    } catch (error) {
      span.end('error', error instanceof Refusal ? { 'error.type': error.code } : {})
      throw error
    } finally {
      running--
    }
  }
  return {
    callFor: send,
    call: async ({ request, response }, operation) => {
      const gone = new AbortController()
      const leave = (): void => gone.abort(new Error('the agent closed the connection'))
      response.once('close', leave)
      try {
        return await send({ ...attribute(request, registry), signal: gone.signal }, operation)
      } finally {
        response.off('close', leave)
      }
    },
  }
}

async function within<T>(signal: AbortSignal, send: (ended: AbortSignal) => Promise<T>): Promise<T> {
  // The timer of AbortSignal.timeout keeps running for the whole deadline after its call has ended.
  const ended = new AbortController()
  const leave = (): void => ended.abort(signal.reason)
  if (signal.aborted) leave()
  signal.addEventListener('abort', leave, { once: true })
  const timer = setTimeout(() => ended.abort(new Error('no response in time')), DEADLINE_MS)
  try {
    return await send(ended.signal)
  } catch {
    signal.throwIfAborted()
    throw new Refusal('memory_unavailable')
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', leave)
  }
}

// Statuses about the request of the agent; any other status is an outage for the agent.
const ofRequest: ReadonlySet<number> = new Set([400, 404, 413, 422, 429])

function toRefusal({ status, problem }: PathResponse<unknown>): Refusal {
  const { code } = problem
  if (!ofRequest.has(status)) return new Refusal('memory_unavailable')
  // A limit of the state role that all pods of the agent share.
  if (status === 429 && !isRefusalCode(code)) return new Refusal('too_many_memory_calls')
  const message = firstReason(problem)?.slice(0, 500)
  return new Refusal(isRefusalCode(code) && code !== 'not_found' ? code : 'malformed_request', message)
}
