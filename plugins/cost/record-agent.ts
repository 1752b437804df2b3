import type { ObservedReads } from '#core/cluster/observed-objects.ts'
import type { ReconcileResult, Reconciler } from '#core/controllers/watch/declarations.ts'
import type { Store } from '#core/event-store/store.ts'
import type { KubeObject } from '#core/kube/client.ts'
import { canonicalJson } from '#core/json/canonical-json.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import { agentLabelsChanged } from './contract/events.ts'
import { storedAgent } from './store/agents.ts'

/** Services of the reconciler. */
export interface RecordAgentServices {
  readonly store: Store
  readonly observed: Pick<ObservedReads, 'namespaceUid'>
}

const UNTIL_OBSERVED_MS = 30_000

/** Records the labels of agents in the store: one event per change, which the projection applies in its transaction. Idempotent. */
export function agentLabelsReconciler(services: RecordAgentServices): Reconciler {
  return {
    name: 'cost-agents',
    resource: AgentDeployment,
    concern: ({ metadata: { uid, labels } }) => [uid, labels],
    reconcile: async (_ref, agent) => (agent === undefined ? {} : recordLabels(services, agent)),
  }
}

// An event has the uid of its namespace once the manager has observed it, so an earlier event without it is repeated.
async function recordLabels(
  { store, observed }: RecordAgentServices,
  { metadata }: KubeObject,
): Promise<ReconcileResult> {
  const { uid = '', namespace = '', name, labels = {} } = metadata
  const isObserved = (await observed.namespaceUid(namespace)) !== undefined
  const stored = await storedAgent(store, uid)
  const isSame = stored !== undefined && canonicalJson(stored.labels) === canonicalJson(labels)
  if (!isSame || (isObserved && stored.namespaceUid === '')) {
    const subject = { namespace, kind: 'AgentDeployment', name, uid }
    await store.transact((tx) =>
      tx.append(`cost-agents/${uid}`, 'any', [{ type: agentLabelsChanged, subject, data: { labels } }]),
    )
  }
  return isObserved ? {} : { requeueAfterMs: UNTIL_OBSERVED_MS }
}
