import { createHash } from 'node:crypto'
import { describeError } from '#core/log/describe-error.ts'
import type { KubeObject, ObjectRef } from '#core/kube/client.ts'
import { parseLabel } from '#core/kube/names.ts'
import { AGENT_LABEL, CANDIDATE_LABEL } from '#schemas/names/labels.ts'
import { workloadResources } from './objects/workload-objects.ts'
import type { Pod, PodTemplate } from './objects/workload-objects.ts'
import { TEMPLATE_LABEL, toPod } from './objects/pod-object.ts'
import { runReplica } from './replica.ts'
import type { Replica, ReplicaContext } from './replica.ts'

/** The replicas of every workload, by `namespace/kind/name`; a re-created workload starts without replicas. */
export type Replicas = Map<
  string,
  {
    readonly uid: string
    readonly list: Replica[]
    rolloutBegan: number
    hash: string
    /** All replicas of this template have been ready. */
    rolledOut: boolean
  }
>

/** The replicas of a workload whose pods exist; stops the others, and all replicas of a deleted workload. */
export async function replicasOf(
  context: ReplicaContext,
  all: Replicas,
  key: string,
  workload: KubeObject | undefined,
) {
  const known = all.get(key)
  const ours = workload !== undefined && workload.metadata.labels?.[AGENT_LABEL] !== undefined
  const uid = workload?.metadata.uid
  if (known !== undefined && (!ours || uid !== known.uid || workload.metadata.deletionTimestamp !== undefined)) {
    all.delete(key)
    for (const name of known.list.map((one) => one.pod.metadata.name)) stopReplica(context, known.list, name)
  }
  if (!ours || uid === undefined || workload.metadata.deletionTimestamp !== undefined) return undefined
  const entry = all.get(key) ?? { uid, list: [], rolloutBegan: performance.now(), hash: '', rolledOut: false }
  all.set(key, entry)
  const alive = await livePods(context, workload)
  for (const one of entry.list.filter((replica) => !alive.has(replica.pod.metadata.uid ?? '')))
    stopReplica(context, entry.list, one.pod.metadata.name)
  return entry
}

async function livePods(context: ReplicaContext, workload: KubeObject): Promise<ReadonlySet<string>> {
  const namespace = parseLabel('namespace', workload.metadata.namespace ?? '')
  // Pods of a candidate do not have the label of the agent.
  const label = workload.metadata.labels?.[CANDIDATE_LABEL] === undefined ? AGENT_LABEL : CANDIDATE_LABEL
  const labelSelector = `${label}=${workload.metadata.labels?.[AGENT_LABEL]}`
  const page = await context.cluster.list<Pod>(workloadResources.pods, { namespace, labelSelector })
  return new Set(
    page.items.filter((pod) => pod.metadata.deletionTimestamp === undefined).map((pod) => pod.metadata.uid ?? ''),
  )
}

/** Creates the pod of a replica and starts its process. */
export async function startReplica(
  context: ReplicaContext,
  owner: KubeObject,
  how: { readonly template: PodTemplate; readonly hash: string; readonly restart: boolean },
): Promise<Replica> {
  const pod = await context.cluster.create<Pod>(workloadResources.pods, toPod(owner, how.template, how.hash))
  return runReplica(context, pod, how.restart)
}

/** Stops a replica in the background; `close` waits for it. */
export function stopReplica(context: ReplicaContext, list: Replica[], name: string): void {
  const index = list.findIndex((one) => one.pod.metadata.name === name)
  const [replica] = index < 0 ? [] : list.splice(index, 1)
  if (replica === undefined) return
  context.ending.add(replica)
  replica
    .stop()
    .catch((error: unknown) => context.log.error(describeError(error), 'a local pod was not removed'))
    .finally(() => context.ending.delete(replica))
}

/** Key of a workload in `Replicas`. */
export function keyOf(kind: string, ref: ObjectRef): string {
  return `${ref.namespace}/${kind}/${ref.name}`
}

/** Hash of a template; pods of it have it as a label. */
export function hashOf(template: PodTemplate): string {
  return createHash('sha256').update(JSON.stringify(template)).digest('hex').slice(0, 10)
}

/** Hash of the template that a pod was created from. */
export function hashOfPod(pod: Pod): string | undefined {
  return pod.metadata.labels?.[TEMPLATE_LABEL]
}
