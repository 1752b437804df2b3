import { isObject } from '#core/json/is-object.ts'
import type { Attributes } from '#core/telemetry/tracer.ts'
import type { Call, RouteContract } from '../contract/http/port.ts'
import { Refusal, isRefusalCode } from '../contract/http/refusal.ts'
import type { Pod } from '../contract/listener.ts'
import { attribute } from '../contract/runs/attribution.ts'
import type { Attribution } from '../contract/runs/attribution.ts'
import type { Settings } from '../contract/settings/settings.ts'
import { createStateClient } from '../contract/state/state-client.ts'
import type { StateResponse, StateCall } from '../contract/state/state-client.ts'

/** A part of the agent's spec that port 2998 serves. */
export type MemoryPart = 'session' | 'longTerm' | 'knowledge'

/** One operation at the state role. */
export interface MemoryOperation extends Pick<StateCall, 'method' | 'path' | 'body'> {
  /** Name of its span. */
  readonly name: string
  /** Attributes of its span: ids and numbers, never content. */
  readonly attributes?: Attributes
}

/** The state role as the routes of port 2998 use it. */
export interface MemoryBackend {
  isBound(part: MemoryPart): boolean
  /** Performs an operation for a request of the agent, in one span. Returns 2xx answers only; throws `Refusal` for others. */
  call(
    part: MemoryPart,
    call: Pick<Call<RouteContract>, 'request' | 'response'>,
    operation: MemoryOperation,
  ): Promise<StateResponse>
  /** As `call`, for the built-in loop. */
  callFor(
    part: MemoryPart,
    attribution: Attribution & { readonly signal: AbortSignal },
    operation: MemoryOperation,
  ): Promise<StateResponse>
}

// An answer may have several MiB, and the launcher has 512 MiB for all of its ports.
const MOST_CALLS = 64
const DEADLINE_MS = 10_000

/** Parts that the agent's configuration binds. The plugins that serve them write it. */
export function boundParts({ agent: { plugins } }: Pick<Settings, 'agent'>): ReadonlySet<MemoryPart> {
  const { memory, knowledge } = plugins
  const parts = new Set<MemoryPart>()
  for (const part of ['session', 'longTerm'] as const) if (isObject(memory) && memory[part] === true) parts.add(part)
  if (isObject(knowledge)) parts.add('knowledge')
  return parts
}

/** Creates the client of a pod. */
export function createMemoryBackend(pod: Pick<Pod, 'settings' | 'registry' | 'tracer' | 'dispatcher'>): MemoryBackend {
  const { settings, registry, tracer, dispatcher } = pod
  const bound = boundParts(settings)
  const { memoryUrl: stateUrl = '', stateTokenFile: tokenFile } = settings
  const state = createStateClient({ stateUrl, tokenFile, dispatcher })
  let running = 0

  const send: MemoryBackend['callFor'] = async (part, { runId, parent, signal }, operation) => {
    if (!bound.has(part)) throw new Refusal('not_bound')
    if (running >= MOST_CALLS) throw new Refusal('too_many_memory_calls')
    const { name, attributes = {}, ...request } = operation
    const ofRun = runId === undefined ? {} : { 'mesh.run.id': runId }
    const span = tracer.start({ name, kind: 'client' }, parent, { ...ofRun, ...attributes })
    running++
    try {
      const headers = {
        traceparent: span.traceparent,
        ...(runId === undefined ? {} : { 'x-mesh-run-id': runId }),
      }
      const answer = await sendWithin(state, { ...request, headers, signal })
      if (answer.status < 200 || answer.status > 299) throw toRefusal(answer)
      span.end('ok')
      return answer
    } catch (error) {
      span.end('error', error instanceof Refusal ? { 'error.type': error.code } : {})
      throw error
    } finally {
      running--
    }
  }
  return {
    isBound: (part) => bound.has(part),
    callFor: send,
    call: async (part, { request, response }, operation) => {
      const gone = new AbortController()
      const leave = (): void => gone.abort(new Error('the agent closed the connection'))
      response.once('close', leave)
      try {
        return await send(part, { ...attribute(request, registry), signal: gone.signal }, operation)
      } finally {
        response.off('close', leave)
      }
    },
  }
}

async function sendWithin(
  state: ReturnType<typeof createStateClient>,
  call: StateCall & { readonly signal: AbortSignal },
): Promise<StateResponse> {
  // The timer of AbortSignal.timeout runs on for the whole deadline after its call.
  const ended = new AbortController()
  const leave = (): void => ended.abort(call.signal.reason)
  if (call.signal.aborted) leave()
  call.signal.addEventListener('abort', leave, { once: true })
  const timer = setTimeout(() => ended.abort(new Error('no answer in time')), DEADLINE_MS)
  try {
    return await state({ ...call, signal: ended.signal })
  } catch {
    call.signal.throwIfAborted()
    throw new Refusal('memory_unavailable')
  } finally {
    clearTimeout(timer)
    call.signal.removeEventListener('abort', leave)
  }
}

// Statuses about the request of the agent; every other one is an outage for it.
const ofRequest: ReadonlySet<number> = new Set([400, 404, 413, 422, 429])

function toRefusal({ status, body }: StateResponse): Refusal {
  const { code, detail, errors } = body
  if (!ofRequest.has(status)) return new Refusal('memory_unavailable')
  // A limit of the state role, which all pods of the agent share.
  if (status === 429 && !isRefusalCode(code)) return new Refusal('too_many_memory_calls')
  const [first] = Array.isArray(errors) ? (errors as readonly unknown[]) : []
  const field = isObject(first) ? `${String(first.pointer)}: ${String(first.detail)}` : undefined
  const message = (field ?? (typeof detail === 'string' ? detail : undefined))?.slice(0, 500)
  return new Refusal(isRefusalCode(code) && code !== 'not_found' ? code : 'malformed_request', message)
}
