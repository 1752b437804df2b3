import { createReferenceIndex } from '#core/cluster/reference-index.ts'
import type { Reconciler } from '#core/host/work.ts'
import { isStatus } from '#core/kube/status.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { ModelRoute } from '#schemas/crds/model-route.ts'
import { collectReferences } from '#schemas/references.ts'
import { reconcileAgent } from './reconcile/agent-reconciliation.ts'
import type { ReconcileContext } from './reconcile/agent-reconciliation.ts'
import { createRevisionAuthors } from './reconcile/revision-author.ts'
import type { AuthorOptions } from './reconcile/revision-author.ts'
import { children } from './reconcile/resources.ts'

/** The reconciler of agents, on the manager's own identity. Idempotent, so it may run unelected. */
export function agentReconciler(options: Omit<ReconcileContext, 'authors'> & AuthorOptions): Reconciler {
  const { cluster } = options
  const context = { ...options, authors: createRevisionAuthors(options) }
  const index = createReferenceIndex()
  return {
    name: 'agents',
    resource: AgentDeployment,
    owns: [children.Deployment, children.Job],
    watches: [{ resource: ModelRoute, toRefs: async (route) => index.referrersOf(route) }],
    // Annotations and managed fields change with every edit and every list of who made it; nothing is built from them.
    concern: ({ metadata: { uid, generation, labels, deletionTimestamp }, status }) => [
      uid,
      generation,
      labels,
      deletionTimestamp,
      status,
    ],
    reconcile: async (ref) => {
      // Read anew: a cached object may be older than the revision that was made of its successor.
      const agent = await cluster.get<AgentDeploymentObject>(AgentDeployment, ref).catch((error: unknown) => {
        if (isStatus(error, 404)) return undefined
        throw error
      })
      index.set(ref, agent === undefined ? [] : collectReferences(AgentDeployment.spec, agent))
      // What it owned is collected by its owner references.
      if (agent === undefined || agent.metadata.deletionTimestamp !== undefined) return {}
      return reconcileAgent(context, agent)
    },
  }
}
