import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import type { Revision } from '../versions/revisions.ts'
import { applyCandidate, removeCandidate } from './candidate/apply-candidate.ts'
import { wantsCandidate } from './candidate/read-candidate.ts'
import type { CandidateRevision } from './candidate/read-candidate.ts'
import type { ConditionProblem } from './conditions/problem.ts'
import type { Judgement } from './judge-agent.ts'
import { applyObjects, scaleDeployed } from './objects/apply-objects.ts'
import type { ApplyContext } from './objects/apply-objects.ts'
import type { Workload } from './objects/build-objects.ts'
import type { HeldRevision } from './parts/ask-gates.ts'
import { applyRevision } from './revision/apply-revision.ts'
import { ensureHookToken } from './revision/hook-token.ts'
import { toLauncherConfig } from './revision/launcher-config.ts'
import type { RevisionData, RevisionPlan } from './revision/plan-revision.ts'
import { blockedBy } from './status/cluster-refusal.ts'
import type { KubeEvent } from './status/kube-events.ts'

/** The newest revision, and what is known of it before its objects are made. */
export interface PlannedAgent {
  readonly judgement: Judgement
  readonly revisions: readonly Revision[]
  readonly data: RevisionData
  readonly plan: RevisionPlan
  readonly held: readonly HeldRevision[]
  /** Number of replicas by a plugin. */
  readonly replicas: number | undefined
}

/** What became of the objects. */
export interface MadeObjects {
  readonly events: readonly KubeEvent[]
  /** Why the objects could not be made. */
  readonly blocked: ConditionProblem | undefined
  readonly candidate: MadeCandidate | undefined
  /** Whether pods of a removed candidate have not ended. */
  readonly isLeaving: boolean
}

/** A candidate, and why its objects could not be made. */
export type MadeCandidate = CandidateRevision & { readonly problem: ConditionProblem | undefined }

/** Makes the revision and the objects of an agent: its workload, or the candidate of a revision that gates hold. */
export async function makeObjects(
  context: ApplyContext,
  agent: AgentDeploymentObject,
  planned: PlannedAgent | undefined,
): Promise<MadeObjects> {
  const { cluster } = context
  const events: KubeEvent[] = []
  let candidate: MadeCandidate | undefined
  let isLeaving = false
  const blocked = await blockedBy(async () => {
    if (planned !== undefined) events.push(...(await applyRevision(cluster, agent, planned.plan)))
    if (planned !== undefined && wantsCandidate(planned.held)) {
      await scaleDeployed(cluster, agent, planned.replicas)
      const { name: revision, first: number } = planned.plan
      candidate = {
        revision,
        number,
        problem: await applyCandidate(context, await workloadOf(context, agent, planned)),
      }
      return
    }
    // Before the roll-out, since a quota may have no room for both.
    isLeaving = await removeCandidate(cluster, agent)
    if (planned !== undefined && planned.held.length > 0) await scaleDeployed(cluster, agent, planned.replicas)
    if (planned?.held.length === 0) await applyObjects(context, await workloadOf(context, agent, planned))
  })
  return { events, blocked, candidate, isLeaving }
}

async function workloadOf(
  { cluster }: ApplyContext,
  agent: AgentDeploymentObject,
  { data, plan, revisions, replicas, judgement: { parts } }: PlannedAgent,
): Promise<Workload> {
  const hookToken = await ensureHookToken(cluster, agent, plan.name, revisions)
  const config = toLauncherConfig(agent, data, parts.launcher)
  return { agent, revision: plan.name, revisionNumber: plan.first, hookToken, config, parts, replicas }
}
