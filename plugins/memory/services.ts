import type { CoreWith } from '#core/plugin/core-services.ts'
import type { StateContext } from '#core/plugin/role-contexts.ts'
import { createVectorSupport } from '#core/retrieval/vector-support.ts'
import { createFindCallingAgent } from '#plugins/agents/api.ts'
import type { RunsSystem } from '#plugins/runs/api.ts'
import { createEmbedText } from './items/embed-text.ts'
import type { MemoryTables } from './store/tables.ts'
import { memoryMetrics } from './metrics.ts'
import { createPodMemory } from './pod-memory.ts'
import type { PodMemory } from './pod-memory.ts'
import { createSessionMemory } from './session/session-memory.ts'
import type { SessionMemory } from './session/session-memory.ts'
import type { MemorySettings } from './settings.ts'

/** Services of the plugin, for its slots. */
export interface MemoryServices {
  readonly core: CoreWith<readonly ['store']>
  readonly settings: MemorySettings
}

/** Services of the state role. */
export function stateServices(
  { core, settings }: MemoryServices,
  state: StateContext,
  runs: RunsSystem | undefined,
): { readonly memory: PodMemory; readonly session: SessionMemory } {
  const session = createSessionMemory(state.stateStore?.lists, settings)
  const missing = core.metrics.counter(memoryMetrics.withoutVector)
  const memory = createPodMemory({
    store: core.store,
    settings,
    find: createFindCallingAgent(state),
    session,
    runs,
    embed: createEmbedText({
      cluster: state.cluster,
      embeddings: state.embeddings,
      isSupported: createVectorSupport(core.store.reader<MemoryTables>()),
      onMissing: (reason) => missing.inc({ reason }),
    }),
  })
  return { memory, session }
}
