import { isObject } from '#core/json/is-object.ts'
import { parseTraceparent } from '#core/telemetry/traceparent.ts'
import type { Tool } from '#launcher/contract/loop/tool.ts'
import { text } from '#launcher/contract/loop/tool.ts'
import { valueOf } from '#launcher/contract/state/memory-calls.ts'
import type { MemoryCalls } from '#launcher/contract/state/memory-calls.ts'
import { searchOperation } from './handlers.ts'

/** Names of the agent's knowledge bases in its configuration. */
export function knowledgeBasesOf(part: unknown): readonly string[] {
  const bases = isObject(part) ? part['bases'] : undefined
  return Array.isArray(bases) ? bases.filter((name) => typeof name === 'string') : []
}

/** Tool of the built-in loop that searches the agent's knowledge bases. */
export function searchTool(calls: Pick<MemoryCalls, 'callFor'>, bases: readonly string[]): Tool {
  return {
    always: true,
    definition: {
      name: 'search_knowledge',
      description:
        'Searches the documents of the knowledge bases and returns passages with their source. Use it before you answer a question about their subject, and name the source.',
      parameters: {
        type: 'object',
        properties: {
          query: { type: 'string', description: 'The question, or words.' },
          knowledgeBase: { type: 'string', enum: bases, description: 'Only this knowledge base.' },
        },
        required: ['query'],
      },
    },
    async run(args, { runId, span, signal }) {
      const given = args['knowledgeBase']
      const knowledgeBase = given === undefined || given === null ? undefined : text(args, 'knowledgeBase')
      const operation = searchOperation({ query: text(args, 'query').slice(0, 4_000), knowledgeBase })
      const attribution = { runId, parent: parseTraceparent(span.traceparent), signal }
      return valueOf(await calls.callFor(attribution, operation))
    },
  }
}
