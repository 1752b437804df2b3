import { INIT_COMMAND } from '#schemas/launcher.ts'
import { reservedPorts } from '#schemas/launcher-ports.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { PLATFORM_VOLUMES } from '#schemas/pod-limits.ts'
import { agentEnvironment, launcherEnvironment } from './environment.ts'
import { LAUNCHER_COMMAND, LAUNCHER_USER, MOUNTS } from './image-layout.ts'
import type { ReconcileSettings } from '../settings.ts'

/** Seconds that a pod serves after its end was requested: workers keep the slices for one, and the cluster takes a moment to write them. */
export const LEAVING_SECONDS = 3

/** Container name of the launcher where the agent has a container of its own. */
export const LAUNCHER_CONTAINER = 'launcher'

/** A declarative agent: the launcher runs the loop, no other process exists. */
export function declarativeContainer(agent: AgentDeploymentObject, settings: ReconcileSettings) {
  return {
    ...launcherBase(agent, settings),
    name: 'agent',
    resources: agent.spec.resources ?? settings.launcherResources,
    startupProbe,
    // A launcher without runs ends at once: an invoke on its way would be cut, with no proof whether it had arrived.
    lifecycle: { preStop: { sleep: { seconds: LEAVING_SECONDS } } },
  }
}

/**
 * The launcher beside an agent, as a native sidecar: started before the agent and ended after it. The startup probe
 * holds the agent back until every port is bound, so that the agent cannot be first.
 */
export function launcherSidecar(agent: AgentDeploymentObject, settings: ReconcileSettings) {
  return {
    ...launcherBase(agent, settings),
    name: LAUNCHER_CONTAINER,
    restartPolicy: 'Always',
    resources: agent.spec.pod?.launcherResources ?? settings.launcherResources,
    startupProbe,
  }
}

/** The agent in a container of its own, from its image or, with a command alone, from the launcher's. */
export function agentContainer(agent: AgentDeploymentObject, settings: ReconcileSettings) {
  const { image, runtime = {}, resources } = agent.spec
  const { command, args } = runtime
  const init = image === undefined ? INIT_COMMAND : []
  return {
    name: 'agent',
    image: image ?? settings.launcherImage,
    imagePullPolicy: settings.imagePullPolicy,
    ...(command === undefined ? {} : { command: [...init, ...command] }),
    ...(args === undefined ? {} : { args }),
    env: agentEnvironment(agent, settings),
    resources: resources ?? settings.agentResources,
    volumeMounts: [agentTokens, ...temporaryFiles(agent, settings), ...ownMounts(agent)],
    // Answered by the launcher once the runs have ended (P3): an httpGet needs no program of the image.
    lifecycle: { preStop: { httpGet: onLauncher('/idle') } },
    // Fails when the launcher is gone (P4), or asks for the end of an agent that ignored a cancel.
    livenessProbe: {
      httpGet: onLauncher('/agent/livez'),
      periodSeconds: 2,
      timeoutSeconds: 5,
      failureThreshold: 3,
      terminationGracePeriodSeconds: 5,
    },
    terminationMessagePolicy,
    securityContext: restricted(settings.agentUser, settings.hardened),
  }
}

/** A place for temporary files where the root file system is read-only, unless the agent has a volume there. */
export function temporaryFiles({ spec: { pod } }: AgentDeploymentObject, { hardened }: ReconcileSettings) {
  const has = pod?.volumeMounts?.some(({ mountPath }) => mountPath === TEMPORARY) === true
  return hardened && !has ? [{ name: 'agent-tmp', mountPath: TEMPORARY }] : []
}

// Field by field: what a later schema adds reaches no container by itself.
function ownMounts({ spec: { pod } }: AgentDeploymentObject) {
  const own = (pod?.volumeMounts ?? []).filter(({ name }) => !PLATFORM_VOLUMES.includes(name))
  return own.map(({ name, mountPath, subPath, readOnly }) => ({
    name,
    mountPath,
    ...(subPath === undefined ? {} : { subPath }),
    ...(readOnly === undefined ? {} : { readOnly }),
  }))
}

const TEMPORARY = '/tmp'

function launcherBase(agent: AgentDeploymentObject, settings: ReconcileSettings) {
  const { invoke, ampInbound } = reservedPorts
  const inbound = (agent.spec.registries ?? []).length > 0
  return {
    image: settings.launcherImage,
    imagePullPolicy: settings.imagePullPolicy,
    command: LAUNCHER_COMMAND,
    env: launcherEnvironment(agent, settings),
    ports: [
      { name: 'http', containerPort: invoke.port, protocol: 'TCP' },
      ...(inbound ? [{ name: 'amp', containerPort: ampInbound.port, protocol: 'TCP' }] : []),
    ],
    readinessProbe: { httpGet: onLauncher('/healthz'), periodSeconds: 2, timeoutSeconds: 2, failureThreshold: 3 },
    livenessProbe: { httpGet: onLauncher('/livez'), periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6 },
    volumeMounts: [
      { name: 'agent-config', mountPath: MOUNTS.config, readOnly: true },
      { name: 'agent-keys', mountPath: MOUNTS.keys, readOnly: true },
      { name: 'launcher-tokens', mountPath: MOUNTS.launcherTokens, readOnly: true },
      agentTokens,
    ],
    terminationMessagePolicy,
    securityContext: restricted(LAUNCHER_USER, true),
  }
}

/** In a condition the end of a log says what an exit code does not. */
const terminationMessagePolicy = 'FallbackToLogsOnError'

// By number: a name would be looked up in the container that has the probe.
function onLauncher(path: string) {
  return { path, port: reservedPorts.invoke.port, scheme: 'HTTPS' }
}

// The delay is what a launcher takes to start: a probe before that is a Warning event of each new pod.
const startupProbe = {
  httpGet: onLauncher('/livez'),
  initialDelaySeconds: 2,
  periodSeconds: 1,
  timeoutSeconds: 2,
  failureThreshold: 60,
}

// Pod Security `restricted`. The user is a number: with a name, the kubelet cannot know that it is not root.
function restricted(user: number, readOnlyRootFilesystem: boolean) {
  return {
    allowPrivilegeEscalation: false,
    runAsNonRoot: true,
    runAsUser: user,
    runAsGroup: user,
    capabilities: { drop: ['ALL'] },
    ...(readOnlyRootFilesystem ? { readOnlyRootFilesystem } : {}),
  }
}

const agentTokens = { name: 'agent-tokens', mountPath: MOUNTS.agentTokens, readOnly: true }
