import { createHash } from 'node:crypto'
import type { Reconciler, ReconcileResult } from '#core/controllers/watch/declarations.ts'
import { describeError } from '#core/log/describe-error.ts'
import type { KubeObject, ObjectRef } from '#core/kube/client.ts'
import { parseLabel } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
import { AGENT_LABEL } from '#schemas/labels.ts'
import { deploymentStatus, isOverdue } from './deployment-status.ts'
import { jobStatus } from './job-status.ts'
import { resources } from './objects.ts'
import type { Deployment, Job, Pod, PodTemplate } from './objects.ts'
import { planRollout } from './plan.ts'
import { TEMPLATE_LABEL, toPod } from './pod-object.ts'
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

/** Runs the Deployments of agents as processes; ignores other Deployments. */
export function deploymentReconciler(context: ReplicaContext, all: Replicas): Reconciler {
  return {
    name: 'local-deployments',
    resource: resources.deployments,
    owns: [resources.pods],
    reconcile: (ref, object) => reconcileDeployment(context, all, ref, object as Deployment | undefined),
  }
}

/** Runs the Jobs of agents as processes. */
export function jobReconciler(context: ReplicaContext, all: Replicas): Reconciler {
  return {
    name: 'local-jobs',
    resource: resources.jobs,
    owns: [resources.pods],
    reconcile: (ref, object) => reconcileJob(context, all, ref, object as Job | undefined),
  }
}

async function reconcileDeployment(
  context: ReplicaContext,
  all: Replicas,
  ref: ObjectRef,
  deployment: Deployment | undefined,
): Promise<ReconcileResult> {
  const entry = await entryOf(context, all, keyOf('Deployment', ref), deployment)
  if (entry === undefined || deployment?.spec === undefined) return {}
  const { replicas: wanted = 1, template, progressDeadlineSeconds = 600 } = deployment.spec
  const hash = hashOf(template)
  if (entry.hash !== hash) Object.assign(entry, { hash, rolledOut: false, rolloutBegan: performance.now() })
  const plan = planRollout(
    wanted,
    entry.list.map((one) => ({ id: one.pod.metadata.name, current: hashOfPod(one.pod) === hash, ready: one.ready() })),
  )
  for (let i = 0; i < plan.start; i += 1)
    entry.list.push(await startReplica(context, deployment, { template, hash, restart: true }))
  // Old replicas stop in the background; the deletion of their pods triggers the next reconciliation.
  for (const name of plan.stop) stopReplica(context, entry.list, name)
  const updated = entry.list.filter((one) => hashOfPod(one.pod) === hash)
  const complete = updated.length >= wanted && updated.every((one) => one.ready())
  entry.rolledOut ||= complete
  const overdue = isOverdue(entry, progressDeadlineSeconds, performance.now())
  const status = deploymentStatus(deployment, {
    wanted,
    total: entry.list.length,
    updated: updated.length,
    updatedReady: updated.filter((one) => one.ready()).length,
    ready: entry.list.filter((one) => one.ready()).length,
    overdue,
    now: new Date(),
  })
  await writeStatus(context, ref, deployment, status)
  return complete || overdue ? {} : { requeueAfterMs: 1_000 }
}

async function reconcileJob(
  context: ReplicaContext,
  all: Replicas,
  ref: ObjectRef,
  job: Job | undefined,
): Promise<ReconcileResult> {
  const entry = await entryOf(context, all, keyOf('Job', ref), job)
  if (entry === undefined || job?.spec === undefined || isFinished(job)) return {}
  const { template, backoffLimit = 6 } = job.spec
  const codes = entry.list.map((one) => one.ended())
  const failed = codes.filter((code) => code !== undefined && code !== 0).length
  const done = codes.includes(0)
  if (!done && failed <= backoffLimit && codes.length === failed)
    entry.list.push(await startReplica(context, job, { template, hash: hashOf(template), restart: false }))
  const active = entry.list.filter((one) => one.ended() === undefined)
  const status = jobStatus(job, {
    active: active.length,
    ready: active.filter((one) => one.ready()).length,
    succeeded: done ? 1 : 0,
    failed,
    outcome: done ? 'complete' : failed > backoffLimit ? 'failed' : undefined,
    now: new Date(),
  })
  await writeStatus(context, ref, job, status)
  return {}
}

/** The replicas of a workload whose pods exist; stops the others, and all replicas of a deleted workload. */
async function entryOf(context: ReplicaContext, all: Replicas, key: string, workload: KubeObject | undefined) {
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
  const labelSelector = `${AGENT_LABEL}=${workload.metadata.labels?.[AGENT_LABEL]}`
  const page = await context.cluster.list<Pod>(resources.pods, { namespace, labelSelector })
  return new Set(
    page.items.filter((pod) => pod.metadata.deletionTimestamp === undefined).map((pod) => pod.metadata.uid ?? ''),
  )
}

async function startReplica(
  context: ReplicaContext,
  owner: KubeObject,
  how: { readonly template: PodTemplate; readonly hash: string; readonly restart: boolean },
): Promise<Replica> {
  const pod = await context.cluster.create<Pod>(resources.pods, toPod(owner, how.template, how.hash))
  return runReplica(context, pod, how.restart)
}

/** Stops a replica in the background; `close` waits for it. */
function stopReplica(context: ReplicaContext, list: Replica[], name: string): void {
  const index = list.findIndex((one) => one.pod.metadata.name === name)
  const [replica] = index < 0 ? [] : list.splice(index, 1)
  if (replica === undefined) return
  context.ending.add(replica)
  replica
    .stop()
    .catch((error: unknown) => context.log.error(describeError(error), 'a local pod was not removed'))
    .finally(() => context.ending.delete(replica))
}

/** Written at the version that it was computed from: two stale writers would overwrite each other endlessly. A newer version triggers a new write. */
async function writeStatus(context: ReplicaContext, ref: ObjectRef, before: KubeObject, status: object): Promise<void> {
  if (JSON.stringify(sorted(status)) === JSON.stringify(sorted(before.status ?? {}))) return
  const resource = before.kind === 'Job' ? resources.jobs : resources.deployments
  const { resourceVersion } = before.metadata
  const body = { metadata: { resourceVersion }, status }
  await context.cluster
    .patch(resource, ref, { type: 'merge', body }, { subresource: 'status' })
    .catch((error: unknown) => {
      if (!isStatus(error, 409) && !isStatus(error, 404)) throw error
    })
}

function sorted(value: object): unknown {
  return Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
}

function isFinished(job: Job): boolean {
  return (
    job.status?.conditions?.some(
      (one) => (one.type === 'Complete' || one.type === 'Failed') && one.status === 'True',
    ) === true
  )
}

function keyOf(kind: string, ref: ObjectRef): string {
  return `${ref.namespace}/${kind}/${ref.name}`
}

function hashOf(template: PodTemplate): string {
  return createHash('sha256').update(JSON.stringify(template)).digest('hex').slice(0, 10)
}

function hashOfPod(pod: Pod): string | undefined {
  return pod.metadata.labels?.[TEMPLATE_LABEL]
}
