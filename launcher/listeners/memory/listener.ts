import { createKnowledgeHandlers } from '../../knowledge/handlers.ts'
import { knowledgeBasesOf, searchTool } from '../../knowledge/search-tool.ts'
import { boundParts, createMemoryBackend } from '../../memory/backend.ts'
import { defineListener } from '../../contract/listener.ts'
import { createMemoryHandlers } from './handlers.ts'
import { memoryTools } from './memory-tools.ts'
import { memoryPort } from './port.ts'
import { sessionTurns } from './session-turns.ts'

/** Memory and knowledge of the agent, kept by the state role. */
export const memoryListener = defineListener({
  port: memoryPort,
  wanted: (settings) => settings.memoryUrl !== undefined && boundParts(settings).size > 0,
  start(pod) {
    const backend = createMemoryBackend(pod)
    const bases = knowledgeBasesOf(pod.settings.agent.plugins['knowledge'])
    const search = bases.length === 0 ? [] : [searchTool(backend, bases)]
    const turns = sessionTurns(backend)
    return {
      listeners: [memoryPort.serve({ ...createMemoryHandlers(backend), ...createKnowledgeHandlers(backend) })],
      tools: [...memoryTools(backend), ...search],
      ...(turns === undefined ? {} : { turns }),
    }
  },
})
