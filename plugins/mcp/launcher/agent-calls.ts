import { genAi, genAiOperations } from '#core/otlp/gen-ai.ts'
import { randomUUID } from 'node:crypto'
import type { Call, RouteContract } from '#launcher/contract/http/port.ts'
import { Refusal } from '#launcher/contract/http/refusal.ts'
import { inSpan } from '#launcher/contract/in-span.ts'
import type { Pod } from '#launcher/contract/listener.ts'
import { attribute } from '#launcher/contract/runs/attribution.ts'
import type { ToolBackend } from './backend.ts'
import { createEnforceApproval } from './call-approval.ts'
import { needsConsent, requestConsent } from './call-consent.ts'
import type { OfferedToolResult } from './offered-tool.ts'

/** A request of the agent on port 2999. */
export type AgentRequest = Pick<Call<RouteContract>, 'request' | 'response'>

/** Calls a tool for the agent: in one span, with entries in the journal of its run. Throws `Refusal`. */
export type CallForAgent = (
  from: AgentRequest,
  name: string,
  args: Readonly<Record<string, unknown>>,
) => Promise<OfferedToolResult>

/** Creates the calls of an agent with its own process. */
export function createCallForAgent(
  { registry, tracer }: Pick<Pod, 'registry' | 'tracer'>,
  backend: ToolBackend,
): CallForAgent {
  const enforceApproval = createEnforceApproval()
  return async ({ request, response }, name, args) => {
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) throw new Refusal('unknown_tool')
    const { runId, parent } = attribute(request, registry)
    const ofRun = runId === undefined ? {} : { 'mesh.run.id': runId }
    const span = tracer.start({ name: `tool ${name}`, kind: 'client' }, parent, {
      ...ofRun,
      [genAi.operation]: genAiOperations.runTool,
      [genAi.toolName]: name,
    })
    const gone = new AbortController()
    response.on('close', () => gone.abort(new Error('the agent closed the connection')))
    let ended: unknown
    const work = async (): Promise<OfferedToolResult> => {
      const tool = await backend.find(name)
      enforceApproval(registry.approvalsOf(runId), tool, args)
      const about = { toolCallId: `call_${randomUUID()}`, name }
      const below = parent === undefined ? {} : { parentSpanId: parent.spanId }
      registry.emit(runId, 'tool.started', { ...about, arguments: args, ...below }, span.spanId)
      const startedAt = performance.now()
      const finish = (result: unknown, isError: boolean): void => {
        ended = result
        const durationMs = Math.round(performance.now() - startedAt)
        registry.emit(runId, 'tool.finished', { ...about, result, isError, durationMs }, span.spanId)
      }
      try {
        const { traceparent } = span
        const call = { tool, args, runId, traceparent, parentSpanId: parent?.spanId, signal: gone.signal }
        const result = await backend.send(call)
        finish(result.structuredContent ?? result.content, result.isError)
        return result
      } catch (given) {
        const asked = { tool, runId, approvals: registry.approvalsOf(runId) }
        const error = needsConsent(given) ? requestConsent(asked) : given
        finish({ error: error instanceof Refusal ? error.message : 'the agent closed the connection' }, true)
        throw error
      }
    }
    return inSpan(span, work, () => ({ arguments: args, result: ended }))
  }
}
