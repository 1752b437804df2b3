import { shareStatusWrites } from '#core/controllers/foreign-status.ts'
import type { KubeClient, Resource } from '#core/kube/client.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { events } from './owned/child-kinds.ts'

/** The agent was changed, deleted or re-created since it was cached. */
export class AgentOutdated extends Error {
  constructor() {
    super('The agent was changed since it was read.')
    this.name = 'AgentOutdated'
  }
}

/** Reads the agent from the API server; undefined if it does not exist. */
export type RefreshAgent = (agent: AgentDeploymentObject) => Promise<AgentDeploymentObject | undefined>

/**
 * A client that reads the agent from the API server before its first write, and writes nothing for an outdated one. A watch may be late: the revision
 * of an old spec would be a rollback, and objects of a deleted agent would be re-created. The status is guarded by its version.
 */
export function confirming(cluster: KubeClient, agent: AgentDeploymentObject, refresh: RefreshAgent): KubeClient {
  let live: ReturnType<RefreshAgent> | undefined
  const confirm = async (resource: Resource): Promise<void> => {
    if (resource.kind === AgentDeployment.kind || resource.kind === events.kind) return
    live ??= refresh(agent)
    const now = await live
    if (now === undefined || !isSame(now, agent)) throw new AgentOutdated()
  }
  const guarded: KubeClient = {
    ...cluster,
    create: async (resource, ...more) => {
      await confirm(resource)
      return cluster.create(resource, ...more)
    },
    patch: async (resource, ...more) => {
      await confirm(resource)
      return cluster.patch(resource, ...more)
    },
    delete: async (resource, ...more) => {
      await confirm(resource)
      return cluster.delete(resource, ...more)
    },
  }
  shareStatusWrites(cluster, guarded)
  return guarded
}

function isSame({ metadata: live }: AgentDeploymentObject, { metadata }: AgentDeploymentObject): boolean {
  return (
    live.uid === metadata.uid &&
    live.generation === metadata.generation &&
    live.deletionTimestamp === metadata.deletionTimestamp
  )
}
