import type { KubeObject } from '#core/kube/client.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { AGENT_LABEL, CANDIDATE_LABEL } from '#schemas/names/labels.ts'
import type { ReconcileSettings } from '../../contract/reconcile-settings.ts'
import { childHead, templateOf } from '../objects/build-objects.ts'
import type { Workload } from '../objects/build-objects.ts'
import { networkRules } from '../objects/network-policy.ts'

/** Name of the policies of an agent's candidates. No agent has a dot in its name, so no object of another agent has this name. */
export function policyName({ metadata }: AgentDeploymentObject): string {
  return `${metadata.name}.candidate`
}

/** The Deployment of a candidate, named by its revision as a Job is: one pod, without the label that Services select. */
export function toCandidate(workload: Workload, settings: ReconcileSettings): KubeObject {
  const { agent, revision } = workload
  const { metadata, spec } = templateOf({ ...workload, isCandidate: true }, settings)
  const { [AGENT_LABEL]: _, ...labels } = metadata.labels
  return {
    ...candidateHead(agent, { apiVersion: 'apps/v1', kind: 'Deployment' }, { name: revision, revision }),
    spec: {
      replicas: 1,
      revisionHistoryLimit: 0,
      progressDeadlineSeconds: 120,
      selector: { matchLabels: podsOf(agent) },
      // A second pod could exceed a quota.
      strategy: { type: 'Recreate' },
      template: { metadata: { ...metadata, labels: { ...labels, ...podsOf(agent) } }, spec },
    },
  }
}

/** The NetworkPolicy of candidates: that of the agent without calls of other agents. */
export function toCandidatePolicy(agent: AgentDeploymentObject, settings: ReconcileSettings): KubeObject {
  return {
    ...candidateHead(agent, { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy' }, { name: policyName(agent) }),
    spec: { podSelector: { matchLabels: podsOf(agent) }, ...networkRules(agent, settings, { takesCalls: false }) },
  }
}

/** The PodDisruptionBudget of candidates, as that of the agent. */
export function toCandidateBudget(agent: AgentDeploymentObject): KubeObject {
  return {
    ...candidateHead(agent, { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' }, { name: policyName(agent) }),
    spec: { maxUnavailable: 1, selector: { matchLabels: podsOf(agent) } },
  }
}

function podsOf({ metadata }: AgentDeploymentObject): Readonly<Record<string, string>> {
  return { [CANDIDATE_LABEL]: metadata.name }
}

// The objects have the agent's label too, by which the manager finds them; only pods must not have it.
function candidateHead(
  agent: AgentDeploymentObject,
  { apiVersion, kind }: Pick<KubeObject, 'apiVersion' | 'kind'>,
  { name, revision }: { readonly name: string; readonly revision?: string },
): KubeObject {
  const object = childHead(agent, apiVersion, kind, name, revision)
  return { ...object, metadata: { ...object.metadata, labels: { ...object.metadata.labels, ...podsOf(agent) } } }
}
