import { reservedPorts } from '#launcher/ports.ts'
import type { AgentDeploymentObject, AgentDeploymentSpec } from '#schemas/crds/agent-deployment.ts'
import { AGENT_LABEL } from '#schemas/labels.ts'
import { GRACE_SECONDS, agentEnvironment, launcherEnvironment } from './environment.ts'
import { formOf } from './form.ts'
import { CONFIG_FILE, LAUNCHER_COMMAND, MOUNTS, ROOT, USERS, copyCommand } from './image-layout.ts'
import type { ReconcileSettings } from './settings.ts'

/** Seconds that a projected token lives; the kubelet renews it at 80 %. */
const TOKEN_SECONDS = 3600

/** Seconds that a pod serves on after it was told to end: workers keep the slices for one, and the cluster takes a moment to write them. */
const LEAVING_SECONDS = 3

/** The pod of an agent in its form; `configMap` is the launcher's configuration. */
export function toPodTemplate(agent: AgentDeploymentObject, configMap: string, settings: ReconcileSettings) {
  const job = agent.spec.executionModel === 'job'
  return {
    metadata: { labels: podLabels(agent) },
    spec: {
      serviceAccountName: agent.metadata.name,
      // The tokens that are needed are mounted by audience; the API server's own is not one of them.
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      terminationGracePeriodSeconds: GRACE_SECONDS + LEAVING_SECONDS,
      restartPolicy: job ? 'Never' : 'Always',
      securityContext: { seccompProfile: { type: 'RuntimeDefault' }, fsGroup: USERS.launcher },
      ...toContainers(agent, settings),
      volumes: volumes(agent, configMap),
    },
  }
}

/** Labels by which Service, Deployment and NetworkPolicy find the pods; the agent's own would replace pods with each edit. */
export function podLabels(agent: AgentDeploymentObject): Record<string, string> {
  return { [AGENT_LABEL]: agent.metadata.name, 'app.kubernetes.io/managed-by': 'mesh' }
}

function toContainers(agent: AgentDeploymentObject, settings: ReconcileSettings) {
  const form = formOf(agent.spec)
  if (form === 'image') return imageContainers(agent, settings)
  const command = form === 'command' ? agentCommand(agent.spec) : []
  const own = form === 'command' && agent.spec.image !== undefined
  return {
    ...(own ? { initContainers: [filesContainer(settings)] } : {}),
    containers: [
      {
        ...launcherContainer(agent, settings),
        name: 'agent',
        image: agent.spec.image ?? settings.launcherImage,
        command: LAUNCHER_COMMAND,
        ...(command.length === 0 ? {} : { args: ['--', ...command] }),
        env: [...launcherEnvironment(agent, settings), ...agentEnvironment(agent, settings)],
        ...resourcesOf(agent.spec),
        volumeMounts: [...(own ? [filesMount(ROOT)] : []), ...launcherMounts, agentTokens],
        // A launcher without runs ends at once: an invoke on its way would be cut, and nobody could say whether it had arrived.
        lifecycle: { preStop: { sleep: { seconds: LEAVING_SECONDS } } },
        securityContext: form === 'command' && settings.isolation === 'user' ? switchesUser : unprivileged,
      },
    ],
  }
}

// The agent keeps its entrypoint; the launcher is a native sidecar, started before it and ended after it.
function imageContainers(agent: AgentDeploymentObject, settings: ReconcileSettings) {
  return {
    initContainers: [
      {
        ...launcherContainer(agent, settings),
        name: 'launcher',
        image: settings.launcherImage,
        command: LAUNCHER_COMMAND,
        restartPolicy: 'Always',
        env: [...launcherEnvironment(agent, settings), ...agentEnvironment(agent, settings)],
        volumeMounts: [...launcherMounts, agentTokens],
        securityContext: unprivileged,
      },
    ],
    containers: [
      {
        name: 'agent',
        image: agent.spec.image,
        imagePullPolicy: settings.imagePullPolicy,
        env: agentEnvironment(agent, settings),
        ...resourcesOf(agent.spec),
        volumeMounts: [agentTokens],
        // The kubelet ends sidecars after this one, so it must outlive the calls that are in flight.
        lifecycle: { preStop: { sleep: { seconds: 5 } } },
        securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
      },
    ],
  }
}

function launcherContainer(agent: AgentDeploymentObject, settings: ReconcileSettings) {
  const { invoke, ampInbound } = reservedPorts
  const inbound = (agent.spec.registries ?? []).length > 0
  return {
    imagePullPolicy: settings.imagePullPolicy,
    ports: [
      { name: 'http', containerPort: invoke.port, protocol: 'TCP' },
      ...(inbound ? [{ name: 'amp', containerPort: ampInbound.port, protocol: 'TCP' }] : []),
    ],
    readinessProbe: {
      httpGet: { path: '/healthz', port: 'http' },
      periodSeconds: 2,
      timeoutSeconds: 2,
      failureThreshold: 3,
    },
  }
}

function agentCommand(spec: AgentDeploymentSpec): string[] {
  return [...(spec.runtime?.command ?? []), ...(spec.runtime?.args ?? [])]
}

function resourcesOf(spec: AgentDeploymentSpec) {
  return spec.resources === undefined ? {} : { resources: spec.resources }
}

const unprivileged = {
  allowPrivilegeEscalation: false,
  runAsNonRoot: true,
  runAsUser: USERS.launcher,
  runAsGroup: USERS.launcher,
  capabilities: { drop: ['ALL'] },
}

// P5: the launcher gives the agent another user. It needs these three rights for that, and nothing else of root's.
const switchesUser = {
  allowPrivilegeEscalation: false,
  runAsUser: 0,
  runAsGroup: USERS.launcher,
  capabilities: { drop: ['ALL'], add: ['SETUID', 'SETGID', 'KILL'] },
}

function filesContainer(settings: ReconcileSettings) {
  return {
    name: 'launcher-files',
    image: settings.launcherImage,
    imagePullPolicy: settings.imagePullPolicy,
    command: copyCommand('/target'),
    volumeMounts: [{ name: 'launcher-files', mountPath: '/target' }],
    securityContext: unprivileged,
  }
}

function filesMount(mountPath: string) {
  return { name: 'launcher-files', mountPath, readOnly: true }
}

const agentTokens = { name: 'agent-tokens', mountPath: MOUNTS.agentTokens, readOnly: true }

const launcherMounts = [
  { name: 'agent-config', mountPath: MOUNTS.config, readOnly: true },
  { name: 'agent-keys', mountPath: MOUNTS.keys, readOnly: true },
  { name: 'launcher-tokens', mountPath: MOUNTS.launcherTokens, readOnly: true },
]

function volumes(agent: AgentDeploymentObject, configMap: string) {
  const own = formOf(agent.spec) === 'command' && agent.spec.image !== undefined
  return [
    ...(own ? [{ name: 'launcher-files', emptyDir: {} }] : []),
    {
      name: 'agent-config',
      configMap: { name: configMap, items: [{ key: CONFIG_FILE, path: CONFIG_FILE }], defaultMode: 0o440 },
    },
    // Readable by the launcher's user and group only: the agent process has another one.
    { name: 'agent-keys', secret: { secretName: keysName(agent), defaultMode: 0o440 } },
    { name: 'launcher-tokens', projected: { sources: [tokenFor('state')], defaultMode: 0o440 } },
    { name: 'agent-tokens', projected: { sources: [tokenFor('gateway')], defaultMode: 0o444 } },
  ]
}

/** Name of the Secret with the agent's key pair. */
export function keysName(agent: AgentDeploymentObject): string {
  return `${agent.metadata.name}-keys`
}

function tokenFor(audience: 'gateway' | 'state') {
  return { serviceAccountToken: { audience, path: audience, expirationSeconds: TOKEN_SECONDS } }
}
