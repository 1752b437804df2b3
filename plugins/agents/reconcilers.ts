import type { Reconciler } from '#core/controllers/watch/declarations.ts'
import { createReferenceIndex } from '#core/controllers/reference-index.ts'
import type { KubeObject, ObjectRef } from '#core/kube/client.ts'
import { isLabel, isName } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { ModelRoute } from '#schemas/crds/model-route.ts'
import { AGENT_LABEL } from '#schemas/labels.ts'
import type { AgentTrigger } from './points.ts'
import { schemaReferences } from './references/references.ts'
import { reconcileAgent } from './reconcile/reconcile-agent.ts'
import type { ReconcileContext } from './reconcile/reconcile-agent.ts'
import { hasTermination } from './reconcile/status/last-termination.ts'
import type { AgentPod } from './reconcile/status/agent-pod.ts'
import { createRevisionAuthors } from './reconcile/revision/revision-author.ts'
import type { AuthorOptions } from './reconcile/revision/revision-author.ts'
import { children } from './reconcile/objects/child-kinds.ts'
import { createRemoveFormerKeys } from './reconcile/objects/former-keys.ts'
import { pods } from './resources.ts'

// Only terminations are watched: pods start and become ready far more often, and the status of their workload has the result.
function agentsOf(pod: KubeObject): ObjectRef[] {
  const { namespace = '', labels } = pod.metadata
  const name = labels?.[AGENT_LABEL] ?? ''
  return hasTermination(pod as AgentPod) && isLabel(namespace) && isName(name) ? [{ namespace, name }] : []
}

/** The reconciler of agents, on the manager's own identity. Idempotent, so it may run unelected. */
export function agentReconciler(
  options: Omit<ReconcileContext, 'authors' | 'removeFormerKeys'> &
    AuthorOptions & { readonly triggers?: readonly AgentTrigger[] },
): Reconciler {
  const { cluster, triggers = [], references = schemaReferences } = options
  const targets = references.targetsOf(AgentDeployment)
  const context = {
    ...options,
    authors: createRevisionAuthors(options),
    removeFormerKeys: createRemoveFormerKeys(cluster),
  }
  const index = createReferenceIndex()
  return {
    name: 'agents',
    resource: AgentDeployment,
    owns: [children.Deployment, children.Job],
    watches: [
      // Kinds of plugins included.
      ...options
        .kinds()
        .filter(({ kind }) => kind === ModelRoute.kind || targets.has(kind))
        .map((resource) => ({ resource, toRefs: async (target: KubeObject) => index.referrersOf(target) })),
      ...triggers.map(({ resource, agentsOf: toRefs }) => ({ resource, toRefs })),
      { resource: pods, labelSelector: AGENT_LABEL, toRefs: async (pod) => agentsOf(pod) },
    ],
    concern: (object) => {
      const { uid, generation, labels, deletionTimestamp } = object.metadata
      // Other annotations, managed fields and the own status change often, and no object depends on them.
      return [uid, generation, labels, references.markedMetadata(object), deletionTimestamp]
    },
    reconcile: async (ref) => {
      // Read again: a cached object may be older than the revision that was made from its successor.
      const agent = await cluster.get<AgentDeploymentObject>(AgentDeployment, ref).catch((error: unknown) => {
        if (isStatus(error, 404)) return undefined
        throw error
      })
      index.set(ref, agent === undefined ? [] : references.collect(AgentDeployment, agent))
      // Owned objects are garbage-collected by their owner references.
      if (agent === undefined || agent.metadata.deletionTimestamp !== undefined) return {}
      return reconcileAgent(context, agent)
    },
  }
}
