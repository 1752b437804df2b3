import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject, AgentDeploymentSpec } from '#schemas/crds/agent-deployment.ts'
import { toLauncherConfig } from '../reconcile/revision/launcher-config.ts'
import { toPodTemplate } from '../reconcile/objects/pod-template.ts'
import type { ReconcileSettings } from '../contract/reconcile-settings.ts'
import type { Revision } from '../versions/revisions.ts'

/** Settings of the reconciler. */
export const settings: ReconcileSettings = {
  launcherImage: 'registry.test/launcher:1',
  imagePullPolicy: 'IfNotPresent',
  gatewayUrl: 'http://gateway:4000',
  stateUrl: 'http://state:3002',
  systemNamespace: 'mesh-system',
  isolation: 'container',
  agentUser: 65533,
  launcherResources: { requests: { memory: '96Mi' }, limits: { memory: '512Mi' } },
  agentResources: { requests: { memory: '128Mi' }, limits: { memory: '1Gi' } },
  imagePullSecrets: [],
  podAnnotations: ['*'],
  hardened: false,
}
/** Token of the revision's preStop hook. */
export const hookToken = 'token-of-the-hook'
/** Spec of an agent without a process. */
export const declarative: AgentDeploymentSpec = { model: { route: 'mock' }, systemPrompt: 'You help.' }
/** Spec of an agent with an image and a command. */
export const command: AgentDeploymentSpec = {
  image: 'agent:1',
  runtime: { command: ['python', 'a.py'], args: ['-v'], port: 9000 },
}
/** Resolved references of `declarative`. */
export const resolved = { routes: ['demo/mock'] }

/** The agent `demo/bot` with the given spec. */
export function agentOf(spec: AgentDeploymentSpec, more: Partial<AgentDeploymentObject> = {}): AgentDeploymentObject {
  const metadata = { name: 'bot', namespace: 'demo', uid: 'u1', generation: 3 }
  return { ...AgentDeployment.object({ metadata, spec }), ...more }
}

/** The workload of an agent's third revision. */
export const workloadOf = (agent: AgentDeploymentObject) => ({
  agent,
  revision: 'bot-abc',
  revisionNumber: 3,
  hookToken,
  config: toLauncherConfig(agent, { spec: agent.spec, resolved }),
})

/** Variables of one of the containers, by name. */
export const environmentOf = (
  containers: readonly { env?: readonly { name: string; value?: string }[] }[],
  index = 0,
) => Object.fromEntries((containers[index]?.env ?? []).map((one) => [one.name, one.value]))

/** A ControllerRevision without content. */
export const revisionOf = (name: string, number: number): Revision => ({
  apiVersion: 'apps/v1',
  kind: 'ControllerRevision',
  metadata: { name },
  revision: number,
})

/** Specs of every workload type with a process. */
export const processSpecs: Readonly<Record<string, AgentDeploymentSpec>> = {
  image: { image: 'agent:1' },
  'image with a command': command,
  'command without an image': { runtime: { command: ['run', 'it'] } },
}

/** Specs of every workload type. */
export const specs = { declarative, ...processSpecs }

/** The pod of a spec, and its containers with the launcher first. */
export const containersOf = (spec: AgentDeploymentSpec, used: ReconcileSettings = settings) => {
  const pod = toPodTemplate(agentOf(spec), { configMap: 'cm', revisionNumber: 3, hookToken }, used).spec
  return { pod, all: [...('initContainers' in pod ? (pod.initContainers ?? []) : []), ...pod.containers] }
}
