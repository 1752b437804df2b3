import { boundParts, createMemoryBackend } from '../../memory/backend.ts'
import { defineListener } from '../define-listener.ts'
import { createMemoryHandlers } from './handlers.ts'
import { memoryTools } from './memory-tools.ts'
import { memoryPort } from './port.ts'

/** Memory and knowledge of the agent, kept by the state role. */
export const memoryListener = defineListener({
  port: memoryPort,
  wanted: (settings) => settings.memoryUrl !== undefined && boundParts(settings).size > 0,
  start(pod) {
    const backend = createMemoryBackend(pod)
    return { listeners: [memoryPort.serve(createMemoryHandlers(backend))], tools: memoryTools(backend) }
  },
})
