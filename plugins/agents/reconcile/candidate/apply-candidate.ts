import type { KubeClient, KubeObject } from '#core/kube/client.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { CANDIDATE_LABEL } from '#schemas/names/labels.ts'
import type { ConditionProblem } from '../conditions/problem.ts'
import type { ApplyContext } from '../objects/apply-objects.ts'
import { toConfigMap, toServiceAccount } from '../objects/build-objects.ts'
import type { Workload } from '../objects/build-objects.ts'
import { NotOwned, RECONCILER_FIELD_MANAGER, applyChild, findOwn, ignore, removeChild } from '../owned/apply-child.ts'
import { children } from '../owned/child-kinds.ts'
import type { ChildKind } from '../owned/child-kinds.ts'
import { isOwnedBy, listOptionsOf, refIn } from '../owned/owner-reference.ts'
import { blockedBy } from '../status/cluster-refusal.ts'
import { policyName, toCandidate, toCandidateBudget, toCandidatePolicy } from './build-candidate.ts'
import { listCandidatePods } from './read-candidate.ts'

/**
 * Runs a held revision beside the deployed one, in place of the candidate before it. Returns why it cannot; then no workload or policy of a
 * candidate is left.
 */
export async function applyCandidate(context: ApplyContext, workload: Workload): Promise<ConditionProblem | undefined> {
  const { cluster, settings } = context
  const { agent, revision } = workload
  if (agent.spec.executionModel === 'job') {
    await removeCandidate(cluster, agent)
    return { reason: 'JobAgent', message: 'A job takes no runs, so its revisions have no candidate.' }
  }
  // First, since a quota may have room for one only.
  await removeWorkloads(cluster, agent, revision)
  const objects = [toCandidatePolicy(agent, settings), toCandidateBudget(agent), toCandidate(workload, settings)]
  const problem = await blockedBy(async () => {
    for (const object of objects) await requireAccepted(cluster, agent, object)
    for (const object of [toServiceAccount(agent), toConfigMap(workload), ...objects])
      await applyChild(cluster, agent, object)
  })
  if (problem !== undefined) await removeCandidate(cluster, agent)
  return problem
}

// Before the first write: an object that is made and removed would reconcile the agent, which would make it again.
async function requireAccepted(cluster: KubeClient, agent: AgentDeploymentObject, object: KubeObject): Promise<void> {
  const resource = children[object.kind as ChildKind]
  const ref = refIn(agent, object.metadata.name)
  const live = await cluster.get<KubeObject>(resource, ref).catch(ignore(404))
  if (live !== undefined && !isOwnedBy(live, agent)) throw new NotOwned(live, agent)
  const patch = { type: 'apply', body: object, force: true } as const
  if (live === undefined)
    await cluster.patch(resource, ref, patch, { fieldManager: RECONCILER_FIELD_MANAGER, dryRun: true })
}

/** Removes the candidate of an agent. Its policies stay until its pods have ended; returns whether some have not. */
export async function removeCandidate(cluster: KubeClient, agent: AgentDeploymentObject): Promise<boolean> {
  await removeWorkloads(cluster, agent)
  const name = policyName(agent)
  const kinds = ['NetworkPolicy', 'PodDisruptionBudget'] as const
  const policies = await Promise.all(kinds.map((kind) => findOwn(cluster, agent, kind, name)))
  if (policies.every((one) => one === undefined)) return false
  if ((await listCandidatePods(cluster, agent)).length > 0) return true
  for (const kind of kinds) await removeChild(cluster, agent, kind, name)
  return false
}

async function removeWorkloads(cluster: KubeClient, agent: AgentDeploymentObject, kept?: string): Promise<void> {
  const { items } = await cluster.list(children.Deployment, listOptionsOf(agent))
  const candidates = items.filter(
    (one) => one.metadata.labels?.[CANDIDATE_LABEL] === agent.metadata.name && isOwnedBy(one, agent),
  )
  for (const { metadata } of candidates)
    if (metadata.name !== kept) await removeChild(cluster, agent, 'Deployment', metadata.name)
}
