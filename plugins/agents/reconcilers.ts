import type { Reconciler } from '#core/controllers/watch/declarations.ts'
import { shareStatusWrites } from '#core/controllers/foreign-status.ts'
import { createReferenceIndex } from '#core/controllers/reference-index.ts'
import { createObjectStores } from '#core/controllers/watch/object-stores.ts'
import type { StoredEvent } from '#core/event-store/event.ts'
import type { KubeObject, ObjectRef, Resource } from '#core/kube/client.ts'
import { isLabel, isName } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
import { PROMPT_KIND } from '#schemas/api/prompts.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { ModelRoute } from '#schemas/crds/model-route.ts'
import { AGENT_LABEL, CANDIDATE_LABEL } from '#schemas/names/labels.ts'
import type { AgentTrigger } from './contract/points.ts'
import { schemaReferences } from './references/references.ts'
import { reconcileAgent } from './reconcile/reconcile-agent.ts'
import type { ReconcileContext } from './reconcile/reconcile-agent.ts'
import { createRevisionAuthors } from './reconcile/revision/revision-author.ts'
import type { AuthorOptions } from './reconcile/revision/revision-author.ts'
import { children } from './reconcile/owned/child-kinds.ts'
import { createRemoveFormerKeys } from './reconcile/objects/former-keys.ts'
import { createFindAutoscaler } from './reconcile/parts/ask-replicas.ts'
import { refIn } from './reconcile/owned/owner-reference.ts'
import { controllerRevisions, pods } from './contract/resources.ts'

// Every change: the workload may be reported before its pods, and an agent that needs no write costs no request.
function agentsOf(pod: KubeObject): ObjectRef[] {
  const { namespace = '', labels } = pod.metadata
  const name = labels?.[AGENT_LABEL] ?? labels?.[CANDIDATE_LABEL] ?? ''
  return isLabel(namespace) && isName(name) ? [{ namespace, name }] : []
}

function promptOf({ namespace = '', name }: StoredEvent['subject']): KubeObject {
  return { apiVersion: '', kind: PROMPT_KIND, metadata: { namespace, name } }
}

// Secrets are never read, and Secrets and ConfigMaps that users refer to have no label of an agent.
const owned: readonly Resource[] = [
  children.ServiceAccount,
  children.ConfigMap,
  children.NetworkPolicy,
  children.Service,
  children.PodDisruptionBudget,
  children.Deployment,
  children.Job,
]

/** The reconciler of agents, on the manager's own identity. Idempotent, so it may run unelected. */
export function agentReconciler(
  options: Omit<ReconcileContext, 'authors' | 'removeFormerKeys' | 'refresh' | 'findAutoscaler'> &
    AuthorOptions & { readonly triggers?: readonly AgentTrigger[] },
): Reconciler {
  const { triggers = [], prompts, references = schemaReferences } = options
  const targets = references.targetsOf(AgentDeployment)
  // Kinds of plugins included.
  const referenced = options.kinds().filter(({ kind }) => kind === ModelRoute.kind || targets.has(kind))
  const stores = createObjectStores(options.cluster, [
    ...[AgentDeployment, ...referenced].map((resource) => ({ resource })),
    ...[controllerRevisions, pods, ...owned].map((resource) => ({ resource, label: AGENT_LABEL })),
  ])
  const { cluster } = stores
  shareStatusWrites(options.cluster, cluster)
  const context: ReconcileContext = {
    ...options,
    cluster,
    authors: createRevisionAuthors({ ...options, cluster }),
    removeFormerKeys: createRemoveFormerKeys(cluster),
    findAutoscaler: createFindAutoscaler(options.cluster),
    refresh: (agent) => stores.refresh(AgentDeployment, refIn(agent, agent.metadata.name)),
  }
  const index = createReferenceIndex()
  return {
    name: 'agents',
    resource: AgentDeployment,
    stores,
    owns: owned,
    watches: [
      ...referenced.map((resource) => ({
        resource,
        toRefs: async (target: KubeObject) => index.referrersOf(target),
      })),
      ...(prompts === undefined
        ? []
        : [
            {
              events: prompts.events,
              toRefs: async ({ subject }: StoredEvent) => index.referrersOf(promptOf(subject)),
            },
          ]),
      ...triggers.map(({ resource, agentsOf: toRefs }) => ({ resource, toRefs })),
      ...[AGENT_LABEL, CANDIDATE_LABEL].map((labelSelector) => ({
        resource: pods,
        labelSelector,
        toRefs: async (pod: KubeObject) => agentsOf(pod),
      })),
    ],
    concern: (object) => {
      const { uid, generation, labels, deletionTimestamp } = object.metadata
      // Other annotations, managed fields and the own status change often, and no object depends on them.
      return [uid, generation, labels, references.markedMetadata(object), deletionTimestamp]
    },
    reconcile: async (ref) => {
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
