import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { AGENT_LABEL, MANAGED_BY, REVISION_NUMBER_LABEL } from '#schemas/names/labels.ts'
import { PLATFORM_VOLUMES, VOLUME_SOURCES } from '#schemas/values/pod-limits.ts'
import type { PodSidecar } from '../../contract/points.ts'
import { registryLabels } from './registry-labels.ts'
import { withoutParts } from '../parts/merge-parts.ts'
import type { MergedParts } from '../parts/merge-parts.ts'
import {
  LEAVING_SECONDS,
  addedSidecar,
  agentContainer,
  declarativeContainer,
  launcherSidecar,
  temporaryFiles,
} from '../pod/containers.ts'
import { withSizeLimit } from '../pod/disk-limits.ts'
import { GRACE_SECONDS } from '../pod/environment.ts'
import type { PodPlatform } from '../pod/environment.ts'
import { workloadType } from '../owned/workload-type.ts'
import { CONFIG_FILE, LAUNCHER_USER } from '../../contract/image-layout.ts'
import type { ReconcileSettings } from '../../contract/reconcile-settings.ts'

type AgentVolume = NonNullable<NonNullable<AgentDeploymentObject['spec']['pod']>['volumes']>[number]

/** Lifetime of a projected token in seconds. The kubelet renews it at 80 %. */
const TOKEN_SECONDS = 3600

/** The revision of a pod, and additions of plugins. */
export interface PodOf {
  readonly configMap: string
  readonly revisionNumber: number
  readonly hookToken: string
  /** A gate holds the revision; default: it serves. */
  readonly isCandidate?: boolean | undefined
  readonly parts?: Pick<MergedParts, 'agent' | 'sidecars' | 'modelProxy' | 'ports'> | undefined
}

/** The pod template of an agent, within Pod Security `restricted`. `configMap` has the launcher's configuration. */
export function toPodTemplate(
  bare: AgentDeploymentObject,
  { configMap, revisionNumber, hookToken, isCandidate = false, parts }: PodOf,
  settings: ReconcileSettings,
) {
  const { agent, sidecars, modelProxy, ports } = parts ?? withoutParts(bare)
  const platform: PodPlatform = { ...settings, modelProxy, ports, hookToken, isCandidate }
  const job = agent.spec.executionModel === 'job'
  return {
    metadata: {
      labels: {
        ...podLabels(agent),
        ...Object.fromEntries(registryLabels(agent).map((key) => [key, 'true'])),
        [REVISION_NUMBER_LABEL]: String(revisionNumber),
      },
      ...(agent.spec.pod?.annotations === undefined ? {} : { annotations: agent.spec.pod.annotations }),
    },
    spec: {
      serviceAccountName: agent.metadata.name,
      // Tokens are mounted by audience. No token for the API server is mounted.
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      terminationGracePeriodSeconds: GRACE_SECONDS + LEAVING_SECONDS,
      restartPolicy: job ? 'Never' : 'Always',
      securityContext: {
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
        // Both containers have this group, and the kubelet makes tokens readable for it (PODA3).
        fsGroup: LAUNCHER_USER,
      },
      ...placement(agent, settings),
      ...containers(agent, sidecars, platform),
      volumes: volumes(agent, configMap, settings),
    },
  }
}

/** Labels that Service, Deployment and NetworkPolicy select pods by. The agent's labels are excluded, or each edit would replace pods. */
export function podLabels(agent: AgentDeploymentObject): Record<string, string> {
  return { [AGENT_LABEL]: agent.metadata.name, [MANAGED_BY.label]: MANAGED_BY.value }
}

// Field by field, so that additions to the schema of `spec.pod` reach no pod by default.
function placement({ spec: { pod = {} } }: AgentDeploymentObject, settings: ReconcileSettings) {
  const { nodeSelector, tolerations, affinity, imagePullSecrets = [] } = pod
  const pullSecrets = new Set([...imagePullSecrets.map(({ name }) => name), ...settings.imagePullSecrets])
  return {
    ...(nodeSelector === undefined ? {} : { nodeSelector }),
    ...(tolerations === undefined ? {} : { tolerations }),
    ...(affinity === undefined ? {} : { affinity }),
    ...(pullSecrets.size === 0 ? {} : { imagePullSecrets: [...pullSecrets].map((name) => ({ name })) }),
  }
}

// An agent process never shares root file system, environment or process tree with the launcher.
function containers(agent: AgentDeploymentObject, sidecars: readonly PodSidecar[], settings: PodPlatform) {
  // The cluster has one type of container; the platform's types have more fields.
  const added = sidecars.map((one) => addedSidecar(one, settings) as ReturnType<typeof launcherSidecar>)
  if (workloadType(agent.spec) === 'declarative')
    return {
      ...(added.length === 0 ? {} : { initContainers: added }),
      containers: [declarativeContainer(agent, settings)],
    }
  return { initContainers: [launcherSidecar(agent, settings), ...added], containers: [agentContainer(agent, settings)] }
}

function volumes(agent: AgentDeploymentObject, configMap: string, settings: ReconcileSettings) {
  const separate = workloadType(agent.spec) !== 'declarative'
  const limit = settings.ephemeralStorage
  return [
    {
      name: 'agent-config',
      configMap: { name: configMap, items: [{ key: CONFIG_FILE, path: CONFIG_FILE }], defaultMode: 0o440 },
    },
    { name: 'launcher-tokens', projected: { sources: [tokenFor('state')], defaultMode: 0o440 } },
    { name: 'agent-tokens', projected: { sources: [tokenFor('gateway')], defaultMode: 0o440 } },
    ...(separate
      ? temporaryFiles(agent, settings).map(({ name }) => ({ name, emptyDir: withSizeLimit({}, limit) }))
      : []),
    ...(separate ? (agent.spec.pod?.volumes ?? []).flatMap((volume) => ownVolume(volume, limit)) : []),
  ]
}

// Source by source, as in `placement`. `validate-spec.ts` has refused other sources.
function ownVolume(volume: AgentVolume, limit: string | undefined) {
  if (PLATFORM_VOLUMES.includes(volume.name)) return []
  const { name, emptyDir } = volume
  if (emptyDir !== undefined) return [{ name, emptyDir: withSizeLimit(emptyDir, limit) }]
  return VOLUME_SOURCES.filter((source) => volume[source] !== undefined)
    .slice(0, 1)
    .map((source): AgentVolume => ({ name: volume.name, [source]: volume[source] }))
}

function tokenFor(audience: 'gateway' | 'state') {
  return { serviceAccountToken: { audience, path: audience, expirationSeconds: TOKEN_SECONDS } }
}
