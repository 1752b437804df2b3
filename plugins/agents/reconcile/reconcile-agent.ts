import type { ReconcileResult } from '#core/controllers/watch/declarations.ts'
import { writeStatus } from '#core/controllers/write-status.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import type { Revision } from '../versions/revisions.ts'
import { judgeAgent, noParts } from './judge-agent.ts'
import type { JudgeContext, Judgement } from './judge-agent.ts'
import { AgentOutdated, confirming } from './confirm-agent.ts'
import type { RefreshAgent } from './confirm-agent.ts'
import { recordEvents, statusEvents } from './status/kube-events.ts'
import type { RemoveFormerKeys } from './objects/former-keys.ts'
import { listCandidatePods, readCandidate } from './candidate/read-candidate.ts'
import { makeObjects } from './make-objects.ts'
import type { MadeObjects, PlannedAgent } from './make-objects.ts'
import { askEvalGate, askGates } from './parts/ask-gates.ts'
import type { HeldRevision } from './parts/ask-gates.ts'
import { askReplicas } from './parts/ask-replicas.ts'
import type { FindAutoscaler } from './parts/ask-replicas.ts'
import type { PartCondition } from './conditions/part-condition.ts'
import { replaceLostPods } from './status/replace-lost-pods.ts'
import { listRevisions } from './owned/list-revisions.ts'
import { changerOfPrompt } from './revision/changer-of-prompt.ts'
import { planRevision, toRevisionData } from './revision/plan-revision.ts'
import { pruneRevisions } from './revision/prune-revisions.ts'
import type { RevisionAuthors } from './revision/revision-author.ts'
import { toRefusedStatus, toStatus } from './status/agent-status.ts'
import type { Findings } from './status/agent-status.ts'
import { factsOf } from './facts/agent-facts.ts'
import type { PublishFacts } from './facts/publish-facts.ts'
import { announce } from './status/announce.ts'
import { clusterRefusalOf } from './status/cluster-refusal.ts'
import { podRoutes } from './status/model-routes.ts'
import { readDeployed, readWorkload } from './status/read-workload.ts'

/** Dependencies of a reconciliation. */
export interface ReconcileContext extends JudgeContext {
  readonly now: () => Date
  readonly authors: RevisionAuthors
  readonly removeFormerKeys: RemoveFormerKeys
  readonly refresh: RefreshAgent
  readonly findAutoscaler: FindAutoscaler
  /** Publishes events of the agent; default: none. */
  readonly publish?: PublishFacts
}

/** First retry delay of refused or unresolved agents. It doubles each time. */
const RETRY_MS = 2_000

/** Polling interval of pods while a revision rolls out. Otherwise only terminations of containers are watched. */
const WHILE_PROGRESSING_MS = 2_000

const WHILE_HELD_MS = 15_000

/** Polling interval of pods that finish their runs, since the end of a pod is not watched. Their routes are then removed. */
const WHILE_LEAVING_MS = 5_000

/**
 * Reconciles one agent: revision, objects, status. A spec that cannot run leaves the running workload unchanged. A refusal by the cluster before the
 * status is known also becomes a condition and an Event.
 */
export async function reconcileAgent(
  context: ReconcileContext,
  agent: AgentDeploymentObject,
): Promise<ReconcileResult> {
  try {
    return await reconcileObjects({ ...context, cluster: confirming(context.cluster, agent, context.refresh) }, agent)
  } catch (error) {
    if (error instanceof AgentOutdated) return { requeueAfterMs: 0 }
    const problem = clusterRefusalOf(error)
    if (problem === undefined) throw error
    const status = toRefusedStatus(agent, problem, context.now())
    const isWritten = await writeStatus(context.cluster, AgentDeployment, agent, status).catch(() => false)
    if (isWritten) await recordEvents(context.cluster, agent, statusEvents(agent, status), context.now())
    throw error
  }
}

async function reconcileObjects(context: ReconcileContext, read: AgentDeploymentObject): Promise<ReconcileResult> {
  const { cluster, settings } = context
  const revisions = await listRevisions(cluster, read)
  const judgement = await judgeAgent(context, read)
  const planned = await planOf(context, read, { judgement, revisions })
  const { refusal, unresolved, warning, parts } = judgement
  const scaled = planned?.scaled === undefined ? [] : [planned.scaled]
  const verdicts = { refusal, unresolved, warning, held: planned?.held ?? [], parts: [...parts.conditions, ...scaled] }
  const agent = await announce(cluster, { ...nothingYet, ...verdicts, agent: read }, settings, context.now())
  // Changed or re-created meanwhile. Requeued here, since a change of fields that nothing depends on triggers no reconciliation.
  if (agent === undefined) return { requeueAfterMs: 0 }
  const made = await makeObjects(context, agent, planned)
  const { workload, candidate, routes } = await readPods(context, agent, { ...made, revisions })
  const events = [...made.events, ...(await replaceLostPods(cluster, [...workload.pods, ...(candidate?.pods ?? [])]))]
  const evalGate = await evalGateOf(context, agent, planned)
  const found: Findings = { ...verdicts, agent, blocked: made.blocked, ...workload, candidate, ...routes, evalGate }
  const status = toStatus(found, settings, context.now())
  if (!(await writeStatus(cluster, AgentDeployment, agent, status))) return { requeueAfterMs: 0 }
  await recordEvents(cluster, agent, [...events, ...statusEvents(agent, status)], context.now())
  await context.removeFormerKeys(agent, { ...workload, isNew: revisions.length === 0 })
  const kept = await pruneRevisions(cluster, agent, status)
  await context.authors.note(agent, kept)
  const newest = planned?.plan.name
  await context.publish?.(agent.metadata.uid ?? '', factsOf(agent, status, { newest, held: verdicts.held, candidate }))
  return nextResult(found)
}

// Written before the objects are created.
const nothingYet = {
  blocked: undefined,
  deployed: undefined,
  progress: undefined,
  podProblem: undefined,
  routes: [],
  isLeaving: false,
} as const

interface Judged {
  readonly judgement: Judgement
  readonly revisions: readonly Revision[]
}

async function planOf(
  context: ReconcileContext,
  agent: AgentDeploymentObject,
  judged: Judged,
): Promise<(PlannedAgent & { readonly scaled: PartCondition | undefined }) | undefined> {
  const { resolved } = judged.judgement
  if (resolved === undefined) return undefined
  const data = toRevisionData(agent, resolved)
  const changedBy = await changerOfPrompt(context.prompts, agent, data, judged.revisions)
  // The audit log identifies another author by the resource version of the agent that was read.
  const plan = planRevision(agent, data, judged.revisions, changedBy)
  const { replicas, condition } = await askReplicas(context.parts?.replicas ?? [], agent, context)
  return { ...judged, data, plan, held: await holdsOf(context, agent, plan.name), replicas, scaled: condition }
}

// Pods of a removed candidate keep their routes until they have ended.
async function readPods(
  { cluster, now }: ReconcileContext,
  agent: AgentDeploymentObject,
  { candidate: made, isLeaving, revisions }: Pick<MadeObjects, 'candidate' | 'isLeaving'> & Pick<Judged, 'revisions'>,
) {
  const workload = await readWorkload(cluster, agent, now())
  const candidate = made && (await readCandidate(cluster, agent, { ...made, now: now() }))
  const others = isLeaving ? await listCandidatePods(cluster, agent) : (candidate?.pods ?? [])
  const routes = podRoutes(agent, revisions, { ...workload, pods: [...workload.pods, ...others] })
  return { workload, candidate, routes: { ...routes, isLeaving: isLeaving || routes.isLeaving } }
}

// A deployed revision has passed its gates: its objects are kept in the desired state.
async function holdsOf(
  { cluster, parts = noParts }: ReconcileContext,
  agent: AgentDeploymentObject,
  revision: string,
): Promise<readonly HeldRevision[]> {
  if (parts.gates.length === 0) return []
  const { deployed } = await readDeployed(cluster, agent)
  return deployed === revision ? [] : askGates(parts, { agent, revision, deployed }, cluster)
}

async function evalGateOf(
  { cluster, parts = noParts }: ReconcileContext,
  agent: AgentDeploymentObject,
  planned: PlannedAgent | undefined,
) {
  return planned && askEvalGate(parts, { agent, revision: planned.plan.name }, cluster)
}

function nextResult({ unresolved, blocked, held = [], progress, isLeaving }: Findings): ReconcileResult {
  if (unresolved !== undefined || blocked !== undefined) return { retryAfterMs: RETRY_MS }
  if (held.length > 0) return { requeueAfterMs: WHILE_HELD_MS }
  if (progress === undefined || progress.complete || progress.failure?.reason === 'JobFailed')
    return isLeaving ? { requeueAfterMs: WHILE_LEAVING_MS } : {}
  return { requeueAfterMs: WHILE_PROGRESSING_MS }
}
