import { toStorable } from '#schemas/values/storable-text.ts'
import type { Tool, ToolScope } from '#launcher/contract/loop/tool.ts'
import { text } from '#launcher/contract/loop/tool.ts'
import { addItem, findItems } from '#plugins/memory/contract/wire.ts'
import { valueOf } from '#launcher/contract/state/memory-calls.ts'
import type { MemoryCalls, MemoryOperation } from '#launcher/contract/state/memory-calls.ts'

const MAX_FOUND = 10

/** Tools of the built-in loop for the long-term memory of the agent. */
export function memoryTools(calls: MemoryCalls): readonly Tool[] {
  const call = async <Request, Response>(
    { runId, span, signal }: ToolScope,
    operation: MemoryOperation<string, Request, Response>,
  ) => valueOf(await calls.callFor({ runId, parent: span, signal }, operation))
  return [
    {
      always: true,
      definition: {
        name: 'remember',
        description: 'Stores a fact for later conversations. Use it for what will still be useful then.',
        parameters: {
          type: 'object',
          properties: { text: { type: 'string', description: 'The fact, understandable without this conversation.' } },
          required: ['text'],
        },
      },
      async run(args, scope) {
        const body = { text: toStorable(text(args, 'text')) }
        const { id } = await call(scope, { name: 'memory remember', path: addItem, call: { body } })
        return { stored: id }
      },
    },
    {
      always: true,
      definition: {
        name: 'recall',
        description: 'Searches the facts that were stored in earlier conversations.',
        parameters: {
          type: 'object',
          properties: { query: { type: 'string', description: 'What to look for.' } },
          required: ['query'],
        },
      },
      async run(args, scope) {
        const body = { query: toStorable(text(args, 'query')), limit: MAX_FOUND }
        return call(scope, { name: 'memory recall', path: findItems, call: { body } })
      },
    },
  ]
}
