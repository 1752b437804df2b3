import type { Reconciler, ReconcileResult } from '#core/controllers/watch/declarations.ts'
import type { ObjectRef } from '#core/kube/client.ts'
import { AGENT_LABEL } from '#schemas/names/labels.ts'
import { deploymentStatus, isOverdue } from './objects/deployment-status.ts'
import { workloadResources } from './objects/workload-objects.ts'
import type { LocalDeployment } from './objects/workload-objects.ts'
import { refusedStatus } from './objects/refused-deployment.ts'
import type { ReplicaContext } from './replica.ts'
import { hashOf, hashOfPod, keyOf, replicasOf, startReplica, stopReplica } from './replicas.ts'
import type { Replicas } from './replicas.ts'
import { planReplacement, planRollout } from './rollout-plan.ts'
import { writeWorkloadStatus } from './objects/workload-status.ts'

/** Runs the Deployments of agents as processes; other Deployments get the condition `ReplicaFailure`. */
export function deploymentReconciler(context: ReplicaContext, all: Replicas): Reconciler {
  return {
    name: 'local-deployments',
    resource: workloadResources.deployments,
    owns: [workloadResources.pods],
    reconcile: (ref, object) => reconcileDeployment(context, all, ref, object as LocalDeployment | undefined),
  }
}

async function reconcileDeployment(
  context: ReplicaContext,
  all: Replicas,
  ref: ObjectRef,
  deployment: LocalDeployment | undefined,
): Promise<ReconcileResult> {
  const entry = await replicasOf(context, all, keyOf('Deployment', ref), deployment)
  if (deployment?.spec === undefined) return {}
  if (entry === undefined) {
    const { labels, deletionTimestamp } = deployment.metadata
    if (labels?.[AGENT_LABEL] === undefined && deletionTimestamp === undefined)
      await writeWorkloadStatus(context.cluster, ref, deployment, refusedStatus(deployment, new Date()))
    return {}
  }
  const { replicas: wanted = 1, template, progressDeadlineSeconds = 600 } = deployment.spec
  const hash = hashOf(template)
  if (entry.hash !== hash) Object.assign(entry, { hash, rolledOut: false, rolloutBegan: performance.now() })
  const replicas = entry.list.map((one) => ({
    id: one.pod.metadata.name,
    current: hashOfPod(one.pod) === hash,
    ready: one.ready(),
  }))
  const plan =
    context.reservedPorts === true
      ? planReplacement(wanted, replicas, context.ending.size)
      : planRollout(wanted, replicas)
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
  await writeWorkloadStatus(context.cluster, ref, deployment, status)
  return complete || overdue ? {} : { requeueAfterMs: 1_000 }
}
