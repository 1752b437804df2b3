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
import type { KubeEvent } from './status/kube-events.ts'
import { applyObjects } from './objects/apply-objects.ts'
import type { RemoveFormerKeys } from './objects/former-keys.ts'
import { toLauncherConfig } from './revision/launcher-config.ts'
import { askGates } from './parts/ask-gates.ts'
import type { HeldRevision } from './parts/ask-gates.ts'
import { replaceLostPods } from './status/replace-lost-pods.ts'
import { applyRevision } from './revision/apply-revision.ts'
import { ensureHookToken } from './revision/hook-token.ts'
import { listRevisions } from './owned/list-revisions.ts'
import { planRevision, toRevisionData } from './revision/plan-revision.ts'
import type { RevisionData, RevisionPlan } from './revision/plan-revision.ts'
import { pruneRevisions } from './revision/prune-revisions.ts'
import type { RevisionAuthors } from './revision/revision-author.ts'
import { toRefusedStatus, toStatus } from './status/agent-status.ts'
import type { Findings } from './status/agent-status.ts'
import { announce } from './status/announce.ts'
import { blockedBy, clusterRefusalOf } from './status/cluster-refusal.ts'
import { podRoutes } from './status/model-routes.ts'
import { readDeployed, readWorkload } from './status/read-workload.ts'

/** Dependencies of a reconciliation. */
export interface ReconcileContext extends JudgeContext {
  readonly now: () => Date
  readonly authors: RevisionAuthors
  readonly removeFormerKeys: RemoveFormerKeys
  readonly refresh: RefreshAgent
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
  const verdicts = { refusal, unresolved, warning, held: planned?.held ?? [], parts: parts.conditions }
  const agent = await announce(cluster, { ...nothingYet, ...verdicts, agent: read }, settings, context.now())
  // Changed or re-created meanwhile. Requeued here, since a change of fields that nothing depends on triggers no reconciliation.
  if (agent === undefined) return { requeueAfterMs: 0 }
  const events: KubeEvent[] = []
  const blocked = planned && (await blockedBy(() => makeObjects(context, agent, { ...planned, events })))
  const state = await readWorkload(cluster, agent, context.now())
  events.push(...(await replaceLostPods(cluster, state.pods)))
  const found: Findings = { ...verdicts, agent, blocked, ...state, ...podRoutes(agent, revisions, state) }
  const status = toStatus(found, settings, context.now())
  if (!(await writeStatus(cluster, AgentDeployment, agent, status))) return { requeueAfterMs: 0 }
  await recordEvents(cluster, agent, [...events, ...statusEvents(agent, status)], context.now())
  await context.removeFormerKeys(agent, state)
  const kept = await pruneRevisions(cluster, agent, status)
  await context.authors.note(agent, kept)
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

interface Planned extends Judged {
  readonly data: RevisionData
  readonly plan: RevisionPlan
  readonly held: readonly HeldRevision[]
}

async function planOf(
  context: ReconcileContext,
  agent: AgentDeploymentObject,
  judged: Judged,
): Promise<Planned | undefined> {
  const { resolved } = judged.judgement
  if (resolved === undefined) return undefined
  const data = toRevisionData(agent, resolved)
  // The audit log identifies the revision's author by the resource version of the agent that was read.
  const plan = planRevision(agent, data, judged.revisions)
  return { ...judged, data, plan, held: await holdsOf(context, agent, plan.name) }
}

async function makeObjects(
  { cluster, settings }: ReconcileContext,
  agent: AgentDeploymentObject,
  { data, plan, held, judgement: { parts }, revisions, events }: Planned & { readonly events: KubeEvent[] },
): Promise<void> {
  events.push(...(await applyRevision(cluster, agent, plan)))
  if (held.length > 0) return
  const hookToken = await ensureHookToken(cluster, agent, plan.name, revisions)
  const config = toLauncherConfig(agent, data, parts.launcher)
  const workload = { agent, revision: plan.name, revisionNumber: plan.first, hookToken, config, parts }
  await applyObjects({ cluster, settings }, workload)
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

function nextResult({ unresolved, blocked, held = [], progress, isLeaving }: Findings): ReconcileResult {
  if (unresolved !== undefined || blocked !== undefined) return { retryAfterMs: RETRY_MS }
  if (held.length > 0) return { requeueAfterMs: WHILE_HELD_MS }
  if (progress === undefined || progress.complete || progress.failure?.reason === 'JobFailed')
    return isLeaving ? { requeueAfterMs: WHILE_LEAVING_MS } : {}
  return { requeueAfterMs: WHILE_PROGRESSING_MS }
}
