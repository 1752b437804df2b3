import { toStorableValue } from '#schemas/values/storable-text.ts'
import { Refusal, isRefusalCode } from '#launcher/contract/http/refusal.ts'
import type { Pod } from '#launcher/contract/listener.ts'
import { pluginDisabled } from '#launcher/contract/state/plugin-disabled.ts'
import type { StateClient } from '#launcher/contract/state/state-client.ts'
import { callState } from '#launcher/contract/state/call-state.ts'
import { firstReason } from '#schemas/wire/problem.ts'
import type { PathResponse } from '#schemas/wire/read-response.ts'
import { toolCall } from '../contract/wire.ts'
import type { OfferedTool, OfferedToolResult } from './offered-tool.ts'
import { createToolSource } from './tool-source.ts'
import type { ToolSource } from './tool-source.ts'

/** A call for the state role. */
export interface OutgoingToolCall {
  readonly tool: OfferedTool
  readonly args: Readonly<Record<string, unknown>>
  readonly runId: string | undefined
  readonly traceparent: string
  /** Parent of the span of the call. */
  readonly parentSpanId?: string | undefined
  readonly signal: AbortSignal
}

/** The tools of the agent, for port 2999 and the built-in loop. */
export interface ToolBackend extends ToolSource {
  /** Returns the tool with a name. Throws `Refusal` (`unknown_tool`). */
  find(name: string): Promise<OfferedTool>
  /** Calls a tool once, without a check of approval. Throws `Refusal`. */
  send(call: OutgoingToolCall): Promise<OfferedToolResult>
}

// A result may have some MiB, and the launcher has 512 MiB for all of its ports.
const MAX_CALLS = 32
// Beyond the time limit of the tool, which the state role enforces.
const MARGIN_MS = 10_000

/** Creates the client of a pod. */
export function createToolBackend({ state: stateOf, log }: Pick<Pod, 'state' | 'log'>): ToolBackend {
  const state = stateOf('the agent has tools')
  const source = createToolSource({ state, log })
  let running = 0
  return {
    ...source,
    async find(name) {
      const tool = (await source.current()).find((one) => one.name === name)
      if (tool === undefined) throw new Refusal('unknown_tool')
      return tool
    },
    async send(call) {
      if (running >= MAX_CALLS) throw new Refusal('too_many_tool_calls')
      running++
      try {
        return await sendOnce(state, call)
      } catch (error) {
        if (error instanceof Refusal && ofList.has(error.code)) source.invalidate()
        throw error
      } finally {
        running--
      }
    },
  }
}

async function sendOnce(state: StateClient, call: OutgoingToolCall): Promise<OfferedToolResult> {
  const { tool, args, runId, traceparent } = call
  const timeoutMs = tool.timeoutMs + MARGIN_MS
  const signal = AbortSignal.any([call.signal, AbortSignal.timeout(timeoutMs)])
  const response = await callState(state, toolCall, {
    params: { tool: tool.name },
    // The listed tool, whose approval rule the caller has therefore enforced.
    body: { arguments: toStorableValue(args), digest: tool.digest, approved: tool.requiresApproval },
    headers: { traceparent, ...(runId === undefined ? {} : { 'x-mesh-run-id': runId }) },
    signal,
    timeoutMs,
  }).catch(() => {
    call.signal.throwIfAborted()
    throw new Refusal('tools_unavailable')
  })
  if (response.value === undefined) throw toRefusal(response)
  return response.value
}

// The list is older than the state role's.
const ofList: ReadonlySet<string> = new Set(['unknown_tool', 'tool_changed'])

const ofCall: ReadonlySet<string> = new Set([
  'unknown_tool',
  'tool_changed',
  'tool_auth_required',
  'too_many_tool_calls',
  'tool_unavailable',
  'tool_result_refused',
  'tool_timeout',
  'payload_too_large',
])

function toRefusal(response: PathResponse<unknown>): Refusal {
  const disabled = pluginDisabled(response)
  if (disabled !== undefined) return disabled
  const { status, problem } = response
  const { code } = problem
  const message = firstReason(problem)?.slice(0, 500)
  if (isRefusalCode(code) && ofCall.has(code)) return new Refusal(code, message)
  if (status === 413) return new Refusal('payload_too_large')
  if (status === 400) return new Refusal('malformed_request', message)
  return new Refusal(status === 429 ? 'too_many_tool_calls' : 'tools_unavailable')
}
