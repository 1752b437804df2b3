import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { AGENT_LABEL, REVISION_NUMBER_LABEL } from '#schemas/labels.ts'
import { LEAVING_SECONDS, agentContainer, declarativeContainer, launcherSidecar } from './containers.ts'
import { GRACE_SECONDS } from './environment.ts'
import { formOf } from './form.ts'
import { CONFIG_FILE, LAUNCHER_USER } from './image-layout.ts'
import type { ReconcileSettings } from './settings.ts'

/** Seconds that a projected token lives; the kubelet renews it at 80 %. */
const TOKEN_SECONDS = 3600

/** The pod of an agent in its form, within Pod Security `restricted`; `configMap` is the launcher's configuration. */
export function toPodTemplate(
  agent: AgentDeploymentObject,
  { configMap, revisionNumber }: { readonly configMap: string; readonly revisionNumber: number },
  settings: ReconcileSettings,
) {
  const job = agent.spec.executionModel === 'job'
  return {
    metadata: { labels: { ...podLabels(agent), [REVISION_NUMBER_LABEL]: String(revisionNumber) } },
    spec: {
      serviceAccountName: agent.metadata.name,
      // The tokens that are needed are mounted by audience; the API server's own is not one of them.
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      terminationGracePeriodSeconds: GRACE_SECONDS + LEAVING_SECONDS,
      restartPolicy: job ? 'Never' : 'Always',
      securityContext: {
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
        // Both containers have this group: with it the kubelet makes tokens readable for the group (PODA3).
        fsGroup: LAUNCHER_USER,
      },
      ...placement(agent),
      ...containers(agent, settings),
      volumes: volumes(agent, configMap, settings),
    },
  }
}

/** Labels by which Service, Deployment and NetworkPolicy find the pods; the agent's own would replace pods with each edit. */
export function podLabels(agent: AgentDeploymentObject): Record<string, string> {
  return { [AGENT_LABEL]: agent.metadata.name, 'app.kubernetes.io/managed-by': 'mesh' }
}

// Field by field: what a later schema adds to `spec.pod` reaches no pod by itself.
function placement({ spec: { pod = {} } }: AgentDeploymentObject) {
  const { nodeSelector, tolerations, imagePullSecrets } = pod
  return {
    ...(nodeSelector === undefined ? {} : { nodeSelector }),
    ...(tolerations === undefined ? {} : { tolerations }),
    ...(imagePullSecrets === undefined ? {} : { imagePullSecrets: imagePullSecrets.map(({ name }) => ({ name })) }),
  }
}

// A process of the user never shares a container with the launcher, whose root file system, environment and process tree stay the platform's.
function containers(agent: AgentDeploymentObject, settings: ReconcileSettings) {
  if (formOf(agent.spec) === 'declarative') return { containers: [declarativeContainer(agent, settings)] }
  return { initContainers: [launcherSidecar(agent, settings)], containers: [agentContainer(agent, settings)] }
}

function volumes(agent: AgentDeploymentObject, configMap: string, { hardened }: ReconcileSettings) {
  const separate = formOf(agent.spec) !== 'declarative'
  return [
    {
      name: 'agent-config',
      configMap: { name: configMap, items: [{ key: CONFIG_FILE, path: CONFIG_FILE }], defaultMode: 0o440 },
    },
    // Mounted for the launcher alone, and of the pair only the half that it uses.
    {
      name: 'agent-keys',
      secret: {
        secretName: keysName(agent),
        items: [{ key: 'agent.key', path: 'agent.key' }],
        defaultMode: 0o440,
      },
    },
    { name: 'launcher-tokens', projected: { sources: [tokenFor('state')], defaultMode: 0o440 } },
    { name: 'agent-tokens', projected: { sources: [tokenFor('gateway')], defaultMode: 0o440 } },
    ...(hardened && separate ? [{ name: 'tmp', emptyDir: {} }] : []),
  ]
}

/** Name of the Secret with the agent's key pair. */
export function keysName(agent: AgentDeploymentObject): string {
  return `${agent.metadata.name}-keys`
}

function tokenFor(audience: 'gateway' | 'state') {
  return { serviceAccountToken: { audience, path: audience, expirationSeconds: TOKEN_SECONDS } }
}
