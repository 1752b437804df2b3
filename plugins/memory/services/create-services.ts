import { Fail } from '#core/errors/domain-error.ts'
import type { CoreWith } from '#core/plugin/core-services.ts'
import type { StateContext } from '#core/plugin/role-contexts.ts'
import { createVectorSupport } from '#core/retrieval/vector-support.ts'
import type { RunsSystem } from '#plugins/runs/contract/api.ts'
import { createEmbedText } from '../items/embed-text.ts'
import type { MemoryTables } from '../contract/tables.ts'
import { memoryMetrics } from '../contract/metrics.ts'
import { createPodMemory } from './pod-memory.ts'
import type { PodMemory } from './pod-memory.ts'
import { createSessionMemory } from '../session/session-memory.ts'
import type { SessionMemory } from '../session/session-memory.ts'
import type { MemorySettings } from '../contract/settings.ts'

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
  const refused = core.metrics.counter(memoryMetrics.refused)
  const missing = core.metrics.counter(memoryMetrics.withoutVector)
  const memory = createPodMemory({
    store: core.store,
    settings,
    session,
    runs,
    embed: createEmbedText({
      cluster: state.cluster,
      embeddings: state.embeddings,
      isSupported: createVectorSupport(core.store.reader<MemoryTables>()),
      onMissing: (reason) => missing.inc({ reason }),
    }),
  })
  return { memory: countingRefusals(memory, (code) => refused.inc({ code })), session }
}

/** Counts refusals by a quota. */
function countingRefusals(memory: PodMemory, refused: (code: string) => void): PodMemory {
  const counting = <Args extends readonly unknown[], Result>(write: (...args: Args) => Promise<Result>) => {
    return async (...args: Args): Promise<Result> => {
      try {
        return await write(...args)
      } catch (error) {
        if (error instanceof Fail && quotaCodes.has(error.code)) refused(error.code)
        throw error
      }
    }
  }
  const { append, appendTurn, remember } = memory
  return { ...memory, append: counting(append), appendTurn: counting(appendTurn), remember: counting(remember) }
}

const quotaCodes: ReadonlySet<string> = new Set(['conversation_full', 'memory_quota_exceeded'])
