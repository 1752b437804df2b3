import { createMemoryCalls } from '#launcher/contract/state/memory-calls.ts'
import { defineListener } from '#launcher/contract/listener.ts'
import { boundParts } from './bound-parts.ts'
import { createMemoryHandlers } from './handlers.ts'
import { memoryTools } from './memory-tools.ts'
import { memoryPort } from './port.ts'
import { sessionTurns } from './session-turns.ts'

/** Memory of the agent, kept by the state role, and the parts that other plugins add to its port. */
export const memoryListener = defineListener({
  port: memoryPort,
  wanted: (settings) => settings.memoryUrl !== undefined && boundParts(settings).size > 0,
  start(pod, parts) {
    const calls = createMemoryCalls(pod)
    const bound = boundParts(pod.settings)
    const added = parts.map((part) => part.start(pod, calls))
    const { port, routes } = memoryPort.serve(createMemoryHandlers(calls, bound))
    return {
      listeners: [{ port, routes: [...routes, ...added.flatMap((part) => part.routes)] }],
      tools: [...(bound.has('longTerm') ? memoryTools(calls) : []), ...added.flatMap(({ tools }) => tools)],
      ...(bound.has('session') ? { turns: sessionTurns(calls) } : {}),
    }
  },
})
