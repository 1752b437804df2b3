import type { KubeClient } from '#core/kube/client.ts'
import { parseRef } from '#core/kube/names.ts'
import { EXIT_PORT_TAKEN } from '#schemas/launcher/launcher-ports.ts'
import { pods as podResource } from '../../contract/resources.ts'
import { ignore } from '../owned/apply-child.ts'
import { LAUNCHER_CONTAINER } from '../owned/names.ts'
import type { KubeEvent } from './kube-events.ts'
import type { AgentPod } from './agent-pod.ts'

/**
 * Whether the launcher of a pod terminated because another process of the pod has its port. The kubelet reports it, so the
 * agent cannot forge it. Pure.
 */
export function hasLostPort({ metadata, status }: AgentPod): boolean {
  if (metadata.deletionTimestamp !== undefined) return false
  const launcher = status?.initContainerStatuses?.find(({ name }) => name === LAUNCHER_CONTAINER)
  const { terminated, waiting } = launcher?.state ?? {}
  const ended = terminated ?? (waiting === undefined ? undefined : launcher?.lastState?.terminated)
  return ended?.exitCode === EXIT_PORT_TAKEN
}

/** Deletes pods whose launcher lost a port, by uid. Their workload creates new ones, where the launcher binds first. */
export async function replaceLostPods(cluster: KubeClient, pods: readonly AgentPod[]): Promise<KubeEvent[]> {
  const lost = pods.filter(hasLostPort)
  for (const { metadata } of lost) {
    const ref = parseRef({ namespace: metadata.namespace ?? '', name: metadata.name })
    const preconditions = metadata.uid === undefined ? {} : { preconditions: { uid: metadata.uid } }
    await cluster.delete(podResource, ref, preconditions).catch(ignore(404, 409))
  }
  return lost.map(({ metadata: { name } }) => ({
    type: 'Warning',
    reason: 'LauncherPortTaken',
    message: `Pod ${name} is replaced: its launcher found its port taken by another process of the pod.`,
  }))
}
