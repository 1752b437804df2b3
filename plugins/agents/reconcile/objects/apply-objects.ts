import type { KubeClient } from '#core/kube/client.ts'
import type { ReconcileSettings } from '../../contract/reconcile-settings.ts'
import type { DeploymentView } from '../status/workload-progress.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { RECONCILER_FIELD_MANAGER, applyChild, findOwn, removeChild } from '../owned/apply-child.ts'
import { children } from '../owned/child-kinds.ts'
import { refIn } from '../owned/owner-reference.ts'
import {
  toConfigMap,
  toDeployment,
  toJob,
  toNetworkPolicy,
  toPodDisruptionBudget,
  toService,
  toServiceAccount,
} from './build-objects.ts'
import type { Workload } from './build-objects.ts'

/** Dependencies of the objects of an agent. */
export interface ApplyContext {
  readonly cluster: KubeClient
  readonly settings: ReconcileSettings
}

/** Applies the objects of an agent's newest revision, the workload last. Throws `NotOwned`. */
export async function applyObjects(context: ApplyContext, workload: Workload): Promise<void> {
  const { cluster, settings } = context
  const { agent } = workload
  await applyChild(cluster, agent, toServiceAccount(agent))
  await applyChild(cluster, agent, toConfigMap(workload))
  await applyChild(cluster, agent, toNetworkPolicy(agent, settings))
  if (agent.spec.executionModel === 'job') return applyJob(context, workload)
  await applyChild(cluster, agent, toService(agent))
  await applyChild(cluster, agent, toPodDisruptionBudget(agent))
  const live = await findOwn<DeploymentView>(cluster, agent, 'Deployment', agent.metadata.name)
  await applyChild(cluster, agent, toDeployment(workload, settings, live))
}

/** Scales the deployed revision while a newer one is held back. */
export async function scaleDeployed(
  cluster: KubeClient,
  agent: AgentDeploymentObject,
  replicas: number | undefined,
): Promise<void> {
  const { name } = agent.metadata
  const live = await findOwn<DeploymentView>(cluster, agent, 'Deployment', name)
  if (replicas === undefined || live === undefined || live.spec?.replicas === replicas) return
  const patch = { type: 'merge', body: { spec: { replicas } } } as const
  await cluster.patch(children.Deployment, refIn(agent, name), patch, { fieldManager: RECONCILER_FIELD_MANAGER })
}

async function applyJob({ cluster, settings }: ApplyContext, workload: Workload): Promise<void> {
  const { agent, revision } = workload
  for (const kind of ['Deployment', 'Service', 'PodDisruptionBudget'] as const)
    await removeChild(cluster, agent, kind, agent.metadata.name)
  // The pod template of a Job is immutable: an existing Job belongs to this revision.
  const live = await findOwn(cluster, agent, 'Job', revision)
  if (live === undefined) await applyChild(cluster, agent, toJob(workload, settings))
}
