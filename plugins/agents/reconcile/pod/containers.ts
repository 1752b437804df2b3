import { HOOK_HEADER, INIT_COMMAND } from '#schemas/launcher/launcher.ts'
import { reservedPorts } from '#schemas/launcher/launcher-ports.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { PLATFORM_VOLUMES } from '#schemas/values/pod-limits.ts'
import type { PodSidecar } from '../../contract/points.ts'
import { withDiskLimit } from './disk-limits.ts'
import { agentEnvironment, launcherEnvironment } from './environment.ts'
import type { PodPlatform } from './environment.ts'
import { LAUNCHER_COMMAND, LAUNCHER_USER, MOUNTS } from '../../contract/image-layout.ts'
import type { ReconcileSettings } from '../../contract/reconcile-settings.ts'
import { LAUNCHER_CONTAINER } from '../owned/names.ts'

/** Seconds that a terminating pod still serves, since workers cache EndpointSlices for a second and the cluster updates them late. */
export const LEAVING_SECONDS = 3

/** A declarative agent: the launcher runs the loop, no other process exists. */
export function declarativeContainer(agent: AgentDeploymentObject, settings: PodPlatform) {
  return {
    ...launcherBase(agent, settings),
    name: 'agent',
    resources: withDiskLimit(agent.spec.resources ?? settings.launcherResources, settings.ephemeralStorage),
    startupProbe,
    // A launcher without runs exits immediately, which would cut an invoke in transit without proof of whether it arrived.
    lifecycle: { preStop: { sleep: { seconds: LEAVING_SECONDS } } },
  }
}

/**
 * The launcher beside an agent, as a native sidecar: started before the agent and ended after it. The startup probe
 * holds the agent back until every port is bound, so that the agent cannot be first.
 */
export function launcherSidecar(agent: AgentDeploymentObject, settings: PodPlatform) {
  return {
    ...launcherBase(agent, settings),
    name: LAUNCHER_CONTAINER,
    restartPolicy: 'Always',
    resources: withDiskLimit(
      agent.spec.pod?.launcherResources ?? settings.launcherResources,
      settings.ephemeralStorage,
    ),
    startupProbe,
  }
}

/** A sidecar of a plugin, restricted like the agent. Field by field, so that further fields reach no container. */
export function addedSidecar(sidecar: PodSidecar, settings: ReconcileSettings): object {
  const { name, image, command, args, env, resources, volumeMounts } = sidecar
  const securityContext = restricted(settings.agentUser, settings.hardened)
  return {
    name,
    image,
    imagePullPolicy: settings.imagePullPolicy,
    restartPolicy: 'Always',
    ...(command === undefined ? {} : { command }),
    ...(args === undefined ? {} : { args }),
    ...(env === undefined ? {} : { env }),
    resources: withDiskLimit(resources ?? settings.agentResources, settings.ephemeralStorage),
    ...(volumeMounts === undefined ? {} : { volumeMounts }),
    terminationMessagePolicy,
    securityContext,
  }
}

/** The container of an agent process, from the agent's image or, with a command only, from the launcher's. */
export function agentContainer(agent: AgentDeploymentObject, settings: PodPlatform) {
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
    resources: withDiskLimit(resources ?? settings.agentResources, settings.ephemeralStorage),
    volumeMounts: [
      ...(settings.modelProxy ? [] : [agentTokens]),
      ...temporaryFiles(agent, settings),
      ...ownMounts(agent),
    ],
    // The launcher responds when the runs have ended (P3). An httpGet requires no program in the image.
    lifecycle: { preStop: { httpGet: { ...onLauncher('/idle'), httpHeaders: [hookHeader(settings)] } } },
    // Fails without a launcher (P4), or when the launcher requests a restart of an agent that ignored a cancel.
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

/** A volume at /tmp if the root file system is read-only, unless the agent mounts its own volume there. */
export function temporaryFiles({ spec: { pod } }: AgentDeploymentObject, { hardened }: ReconcileSettings) {
  const has = pod?.volumeMounts?.some(({ mountPath }) => mountPath === TEMPORARY) === true
  return hardened && !has ? [{ name: 'agent-tmp', mountPath: TEMPORARY }] : []
}

// Field by field, so that additions to the schema reach no container by default.
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

function launcherBase(agent: AgentDeploymentObject, settings: PodPlatform) {
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
      { name: 'launcher-tokens', mountPath: MOUNTS.launcherTokens, readOnly: true },
      agentTokens,
    ],
    terminationMessagePolicy,
    securityContext: restricted(LAUNCHER_USER, true),
  }
}

/** Conditions show the end of the log, which explains an exit code. */
const terminationMessagePolicy = 'FallbackToLogsOnError'

// By number, since a name is resolved in the container with the probe.
function onLauncher(path: string) {
  return { path, port: reservedPorts.invoke.port, scheme: 'HTTPS' }
}

// The port is reachable from other pods, and the hook makes the launcher refuse new runs.
function hookHeader({ hookToken }: PodPlatform) {
  return { name: HOOK_HEADER, value: hookToken }
}

// A launcher starts within the delay. An earlier probe would cause a Warning Event for each new pod.
const startupProbe = {
  httpGet: onLauncher('/livez'),
  initialDelaySeconds: 2,
  periodSeconds: 1,
  timeoutSeconds: 2,
  failureThreshold: 60,
}

// Pod Security `restricted`. A numeric user, since the kubelet cannot verify that a named one is not root.
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
