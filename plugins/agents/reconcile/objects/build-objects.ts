import { reservedPorts } from '#schemas/launcher/launcher-ports.ts'
import type { KubeObject } from '#core/kube/client.ts'
import { AGENT_DEFAULTS } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject, AgentDeploymentSpec } from '#schemas/crds/agent-deployment.ts'
import { AGENT_LABEL } from '#schemas/names/labels.ts'
import type { LauncherConfig } from '#schemas/launcher/launcher.ts'
import { CONFIG_FILE } from '../../contract/image-layout.ts'
import { configName, configText } from '../revision/launcher-config.ts'
import { networkRules } from './network-policy.ts'
import { ownerReference } from '../owned/owner-reference.ts'
import { podLabels, toPodTemplate } from './pod-template.ts'
import type { MergedParts } from '../parts/merge-parts.ts'
import type { DeploymentView } from '../status/workload-progress.ts'
import type { ReconcileSettings } from '../../contract/reconcile-settings.ts'
import { REVISION_ANNOTATION } from '../owned/names.ts'

/** Parameters of the objects of one revision. */
export interface Workload {
  readonly agent: AgentDeploymentObject
  readonly revision: string
  /** The first number of the revision's content: a rollback raises the number but keeps the pods. */
  readonly revisionNumber: number
  /** Token of the revision's preStop hook. */
  readonly hookToken: string
  readonly config: LauncherConfig
  /** A gate holds the revision; default: it serves. */
  readonly isCandidate?: boolean
  /** Number of replicas by a plugin; default: that of the spec. */
  readonly replicas?: number | undefined
  /** Additions of plugins to the pods; default: none. */
  readonly parts?: MergedParts
}

/** The ServiceAccount of the agent. Tokens of its pods are issued for it. */
export function toServiceAccount(agent: AgentDeploymentObject): KubeObject {
  return { ...childHead(agent, 'v1', 'ServiceAccount', agent.metadata.name), automountServiceAccountToken: false }
}

/** The launcher's configuration, under a name that depends on its content. */
export function toConfigMap({ agent, config }: Workload): KubeObject {
  return {
    ...childHead(agent, 'v1', 'ConfigMap', configName(agent, config)),
    data: { [CONFIG_FILE]: configText(config) },
  }
}

/** The Deployment of a `service` agent. New pods must be ready before old ones are removed. */
export function toDeployment(workload: Workload, settings: ReconcileSettings, live?: DeploymentView): KubeObject {
  const { agent, revision } = workload
  return {
    ...childHead(agent, 'apps/v1', 'Deployment', agent.metadata.name, revision),
    spec: {
      replicas: workload.replicas ?? replicasOf(agent.spec.scaling, live?.spec?.replicas),
      revisionHistoryLimit: 2,
      progressDeadlineSeconds: 120,
      selector: { matchLabels: { [AGENT_LABEL]: agent.metadata.name } },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      template: templateOf(workload, settings),
    },
  }
}

// With a minimum and a maximum, an autoscaler sets the number, which is kept while it is within these bounds.
function replicasOf(scaling: AgentDeploymentSpec['scaling'], now: number | undefined): number {
  const least = scaling?.minReplicas ?? AGENT_DEFAULTS.replicas
  if (scaling?.replicas !== undefined) return scaling.replicas
  return scaling?.maxReplicas === undefined ? least : Math.min(scaling.maxReplicas, Math.max(least, now ?? least))
}

/** The Job of a `job` agent, named by its revision, since the pod template of a Job is immutable. */
export function toJob(workload: Workload, settings: ReconcileSettings): KubeObject {
  const { agent, revision } = workload
  return {
    ...childHead(agent, 'batch/v1', 'Job', revision, revision),
    spec: { backoffLimit: 2, template: templateOf(workload, settings) },
  }
}

/** The pod template of a workload. */
export function templateOf({ agent, config, ...revision }: Workload, settings: ReconcileSettings) {
  return toPodTemplate(agent, { ...revision, configMap: configName(agent, config) }, settings)
}

/** The agent's address: its launcher, and the inbound agent-to-agent listener of a registry's member. */
export function toService(agent: AgentDeploymentObject): KubeObject {
  const { invoke, ampInbound } = reservedPorts
  const inbound = (agent.spec.registries ?? []).length > 0
  return {
    ...childHead(agent, 'v1', 'Service', agent.metadata.name),
    spec: {
      selector: { [AGENT_LABEL]: agent.metadata.name },
      ports: [
        { name: 'http', port: invoke.port, targetPort: 'http', protocol: 'TCP' },
        ...(inbound ? [{ name: 'amp', port: ampInbound.port, targetPort: 'amp', protocol: 'TCP' }] : []),
      ],
    },
  }
}

/** The PodDisruptionBudget: one pod at a time while nodes are drained. */
export function toPodDisruptionBudget(agent: AgentDeploymentObject): KubeObject {
  return {
    ...childHead(agent, 'policy/v1', 'PodDisruptionBudget', agent.metadata.name),
    spec: { maxUnavailable: 1, selector: { matchLabels: { [AGENT_LABEL]: agent.metadata.name } } },
  }
}

/** The NetworkPolicy of the agent's pods. */
export function toNetworkPolicy(agent: AgentDeploymentObject, settings: ReconcileSettings): KubeObject {
  return {
    ...childHead(agent, 'networking.k8s.io/v1', 'NetworkPolicy', agent.metadata.name),
    spec: {
      podSelector: { matchLabels: { [AGENT_LABEL]: agent.metadata.name } },
      ...networkRules(agent, settings),
    },
  }
}

/** Type, name, labels and owner of an object of the agent. */
// oxlint-disable-next-line max-params -- the four of every object, and one that only two objects need
export function childHead(
  agent: AgentDeploymentObject,
  apiVersion: string,
  kind: string,
  name: string,
  revision?: string,
): KubeObject {
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      namespace: agent.metadata.namespace ?? '',
      labels: podLabels(agent),
      ...(revision === undefined ? {} : { annotations: { [REVISION_ANNOTATION]: revision } }),
      ownerReferences: [ownerReference(agent)],
    },
  }
}
