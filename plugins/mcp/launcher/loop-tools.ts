import { isObject } from '#core/json/is-object.ts'
import { ConsentAwaited } from '#launcher/contract/loop/tool.ts'
import type { Tool } from '#launcher/contract/loop/tool.ts'
import { needsConsent, requestConsent } from './call-consent.ts'
import type { ToolBackend } from './backend.ts'
import type { OfferedTool, OfferedToolResult } from './offered-tool.ts'

/** The bound tools of the agent as tools of the built-in loop. Throws `Refusal` if they cannot be read. */
export async function boundLoopTools(backend: ToolBackend): Promise<readonly Tool[]> {
  return (await backend.current()).map((tool) => toLoopTool(backend, tool))
}

function toLoopTool(backend: ToolBackend, tool: OfferedTool): Tool {
  const { name, title, description = title ?? name, inputSchema } = tool
  return {
    always: true,
    requiresApproval: tool.requiresApproval,
    definition: { name, description, parameters: inputSchema },
    async run(args, { runId, span, parentSpanId, signal, approvals }) {
      const { traceparent } = span
      const result = await backend
        .send({ tool, args, runId, traceparent, parentSpanId, signal })
        .catch((error: unknown) => {
          if (!needsConsent(error)) throw error
          const refusal = requestConsent({ tool, runId, approvals })
          throw needsConsent(refusal) && approvals !== undefined ? new ConsentAwaited(refusal.message) : refusal
        })
      if (result.isError) throw new Error(toResultText(result))
      return result.structuredContent ?? toResultText(result)
    },
  }
}

/** Text of a result for a model. Other content is replaced by the name of its type. */
export function toResultText({ content }: OfferedToolResult): string {
  const parts = content.map((part) => {
    if (!isObject(part)) return ''
    if (part['type'] === 'text' && typeof part['text'] === 'string') return part['text']
    const { resource } = part
    if (isObject(resource) && typeof resource['text'] === 'string') return resource['text']
    return `[${String(part['type']).slice(0, 64)} left out]`
  })
  return parts.join('\n')
}
