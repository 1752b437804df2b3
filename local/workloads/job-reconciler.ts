import type { Reconciler, ReconcileResult } from '#core/controllers/watch/declarations.ts'
import type { ObjectRef } from '#core/kube/client.ts'
import { jobStatus } from './objects/job-status.ts'
import { workloadResources } from './objects/workload-objects.ts'
import type { LocalJob } from './objects/workload-objects.ts'
import type { ReplicaContext } from './replica.ts'
import { hashOf, keyOf, replicasOf, startReplica } from './replicas.ts'
import type { Replicas } from './replicas.ts'
import { writeWorkloadStatus } from './objects/workload-status.ts'

/** Runs the Jobs of agents as processes. */
export function jobReconciler(context: ReplicaContext, all: Replicas): Reconciler {
  return {
    name: 'local-jobs',
    resource: workloadResources.jobs,
    owns: [workloadResources.pods],
    reconcile: (ref, object) => reconcileJob(context, all, ref, object as LocalJob | undefined),
  }
}

async function reconcileJob(
  context: ReplicaContext,
  all: Replicas,
  ref: ObjectRef,
  job: LocalJob | undefined,
): Promise<ReconcileResult> {
  const entry = await replicasOf(context, all, keyOf('Job', ref), job)
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
  await writeWorkloadStatus(context.cluster, ref, job, status)
  return {}
}

function isFinished(job: LocalJob): boolean {
  return (
    job.status?.conditions?.some(
      (one) => (one.type === 'Complete' || one.type === 'Failed') && one.status === 'True',
    ) === true
  )
}
