import { createCallForAgent } from '../../tools/agent-calls.ts'
import { createToolBackend } from '../../tools/backend.ts'
import { boundLoopTools } from '../../tools/loop-tools.ts'
import { defineListener } from '../define-listener.ts'
import { createDiscoveryHandlers } from './handlers.ts'
import { discoveryPort } from './port.ts'

/** Tools of MCP servers, which the state role calls. */
export const discoveryListener = defineListener({
  port: discoveryPort,
  wanted: ({ tools, stateUrl }) => tools && stateUrl !== undefined,
  start(pod) {
    const backend = createToolBackend(pod)
    return {
      listeners: [discoveryPort.serve(createDiscoveryHandlers(backend, createCallForAgent(pod, backend)))],
      boundTools: () => boundLoopTools(backend),
    }
  },
})
