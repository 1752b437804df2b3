import type { Reconciler } from '#core/controllers/watch/declarations.ts'
import { writeStatus } from '#core/controllers/write-status.ts'
import type { KubeClient, ObjectRef } from '#core/kube/client.ts'
import { isLabel, isName } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { AgentRegistry } from '#schemas/crds/agent-registry.ts'
import type { AgentRegistryObject } from '#schemas/crds/agent-registry.ts'
import { findMembers } from './find-members.ts'
import { toRegistryStatus } from './registry-status.ts'

/** Dependencies. */
export interface RegistryReconcilerOptions {
  readonly cluster: KubeClient
  readonly now: () => Date
}

// An agent that was deleted while the manager was away leaves its registries without an event.
const REFRESH_MS = 300_000

/** Writes the members of registries to their status, with conditions. */
export function registryReconciler({ cluster, now }: RegistryReconcilerOptions): Reconciler {
  const joined = createJoinedRegistries()
  return {
    name: 'agentregistries',
    resource: AgentRegistry,
    watches: [
      {
        resource: AgentDeployment,
        toRefs: async (agent, _cluster, change) => joined.note(agent as AgentDeploymentObject, change === 'deleted'),
      },
    ],
    concern: ({ metadata: { uid, generation, deletionTimestamp } }) => [uid, generation, deletionTimestamp],
    reconcile: async (ref) => {
      const registry = await cluster.get<AgentRegistryObject>(AgentRegistry, ref).catch((error: unknown) => {
        if (isStatus(error, 404)) return undefined
        throw error
      })
      if (registry === undefined || registry.metadata.deletionTimestamp !== undefined) return {}
      const status = toRegistryStatus(registry, await findMembers(cluster, registry), now())
      return { requeueAfterMs: (await writeStatus(cluster, AgentRegistry, registry, status)) ? REFRESH_MS : 0 }
    },
  }
}

/** The registries of each agent: a change affects the registries before and after it. */
function createJoinedRegistries() {
  const known = new Map<string, { readonly generation: string; readonly refs: readonly ObjectRef[] }>()
  return {
    note(agent: AgentDeploymentObject, isDeleted: boolean): readonly ObjectRef[] {
      const { namespace = '', name, uid, generation, deletionTimestamp } = agent.metadata
      const key = `${namespace}/${name}`
      const before = known.get(key)
      const refs = registriesOf(agent)
      const now = `${uid} ${generation} ${deletionTimestamp}`
      if (isDeleted || refs.length === 0) known.delete(key)
      else known.set(key, { generation: now, refs })
      // Most changes only affect the status.
      return !isDeleted && before?.generation === now ? [] : [...(before?.refs ?? []), ...refs]
    },
  }
}

function registriesOf({ metadata, spec }: AgentDeploymentObject): readonly ObjectRef[] {
  return (spec.registries ?? []).flatMap(({ name, namespace = metadata.namespace ?? '' }) =>
    isLabel(namespace) && isName(name) ? [{ namespace, name }] : [],
  )
}
