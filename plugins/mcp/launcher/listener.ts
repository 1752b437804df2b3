import { recordToolCalls } from './record-tool-calls.ts'
import { createCallForAgent } from './agent-calls.ts'
import { createToolBackend } from './backend.ts'
import { boundLoopTools } from './loop-tools.ts'
import { defineListener } from '#launcher/contract/listener.ts'
import { createDiscoveryHandlers } from './handlers.ts'
import { discoveryPort } from './port.ts'

/** Tools of MCP servers, which the state role calls. */
export const discoveryListener = defineListener({
  port: discoveryPort,
  wanted: ({ tools, stateUrl }) => tools && stateUrl !== undefined,
  start(pod) {
    const tools = createToolBackend(pod)
    const backend = pod.recorder === undefined ? tools : recordToolCalls(tools, pod.recorder)
    return {
      listeners: [discoveryPort.serve(createDiscoveryHandlers(backend, createCallForAgent(pod, backend)))],
      boundTools: () => boundLoopTools(backend),
    }
  },
})
