import type { ReconcileResult } from '#core/controllers/watch/declarations.ts'
import { problemOfUnenforced } from '#core/plugin/enforced-fields.ts'
import type { UnenforcedField } from '#core/plugin/enforced-fields.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { recordEvents, statusEvents } from './kube-events.ts'
import type { KubeEvent } from './kube-events.ts'
import { applyObjects } from './objects/apply-objects.ts'
import type { ApplyContext } from './objects/apply-objects.ts'
import type { RemoveFormerKeys } from './objects/former-keys.ts'
import { toLauncherConfig } from './objects/launcher-config.ts'
import { collectParts } from './parts/collect-parts.ts'
import { askGates } from './parts/ask-gates.ts'
import type { AgentParts } from './parts/collect-parts.ts'
import type { HeldRevision } from './parts/ask-gates.ts'
import { mergeParts, withoutParts } from './parts/merge-parts.ts'
import { replaceLostPods } from './pod/replace-lost-pods.ts'
import type { AnyKind } from '#schemas/kind.ts'
import { createFindResource } from '../resources.ts'
import { schemaReferences } from '../references/references.ts'
import type { References } from '../references/references.ts'
import { resolveReferences } from './resolve-references.ts'
import { applyRevision } from './revision/apply-revision.ts'
import { ensureHookToken } from './revision/hook-token.ts'
import { listRevisions } from './revision/list-revisions.ts'
import { planRevision, toRevisionData } from './revision/plan-revision.ts'
import { pruneRevisions } from './revision/prune-revisions.ts'
import type { RevisionAuthors } from './revision/revision-author.ts'
import { toRefusedStatus, toStatus } from './status/agent-status.ts'
import { podRoutes } from './status/model-routes.ts'
import type { Findings } from './status/agent-status.ts'
import type { ConditionProblem } from './status/problem.ts'
import { readDeployed, readWorkload } from './status/read-workload.ts'
import { writeStatus } from '#core/controllers/write-status.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import { validateSpec } from './validate-spec.ts'
import { blockedBy, clusterRefusalOf } from './status/cluster-refusal.ts'

/** Dependencies of a reconciliation. */
export interface ReconcileContext extends ApplyContext {
  readonly kinds: () => readonly AnyKind[]
  /** Default: those of the schemas. */
  readonly references?: References
  readonly now: () => Date
  readonly authors: RevisionAuthors
  readonly removeFormerKeys: RemoveFormerKeys
  /** Additions and gates of other plugins; default: none. */
  readonly parts?: AgentParts
  /** Fields of agents whose plugin is not available; default: none. */
  readonly unenforced?: readonly UnenforcedField[]
}

/** First delay before refused or unresolved agents are tried again. It doubles each time. */
const RETRY_MS = 2_000

/** Interval of reading pods while a revision rolls out. Otherwise only terminations of containers are watched. */
const WHILE_PROGRESSING_MS = 2_000

const WHILE_HELD_MS = 15_000

/** Interval of reading pods that finish their runs, since the end of a pod is not watched. Their routes are removed then. */
const WHILE_LEAVING_MS = 5_000

/**
 * Reconciles one agent: revision, objects, status. A spec that cannot run leaves the running workload unchanged. What the cluster refuses
 * before the status is known is a condition and an Event, too.
 */
export async function reconcileAgent(
  context: ReconcileContext,
  agent: AgentDeploymentObject,
): Promise<ReconcileResult> {
  try {
    return await reconcileObjects(context, agent)
  } catch (error) {
    const problem = clusterRefusalOf(error)
    if (problem === undefined) throw error
    const status = toRefusedStatus(agent, problem, context.now())
    const isWritten = await writeStatus(context.cluster, AgentDeployment, agent, status).catch(() => false)
    if (isWritten) await recordEvents(context.cluster, agent, statusEvents(agent, status), context.now())
    throw error
  }
}

async function reconcileObjects(context: ReconcileContext, agent: AgentDeploymentObject): Promise<ReconcileResult> {
  const { cluster, settings, references = schemaReferences } = context
  const events: KubeEvent[] = []
  const revisions = await listRevisions(cluster, agent)
  const merged = await mergedParts(context, agent)
  const parts = 'agent' in merged ? merged : withoutParts(agent)
  const refusal = 'refusal' in merged ? merged.refusal : undefined
  const resolution =
    refusal === undefined
      ? await resolveReferences({ cluster, references, findResource: createFindResource(context.kinds) }, agent)
      : undefined
  const unresolved = resolution !== undefined && 'refusal' in resolution ? resolution.refusal : undefined
  let blocked: ConditionProblem | undefined
  let held: readonly HeldRevision[] = []
  if (resolution !== undefined && 'resolved' in resolution) {
    const data = toRevisionData(agent, resolution.resolved)
    const plan = planRevision(agent, data, revisions)
    const config = toLauncherConfig(agent, data, parts.launcher)
    held = await holdsOf(context, agent, plan.name)
    blocked = await blockedBy(async () => {
      events.push(...(await applyRevision(cluster, agent, plan)))
      if (held.length > 0) return
      const hookToken = await ensureHookToken(cluster, agent, plan.name, revisions)
      const workload = { agent, revision: plan.name, revisionNumber: plan.first, hookToken, config, parts }
      await applyObjects(context, workload)
    })
  }
  const state = await readWorkload(cluster, agent, context.now())
  events.push(...(await replaceLostPods(cluster, state.pods)))
  const warning = resolution !== undefined && 'warning' in resolution ? resolution.warning : undefined
  const found: Findings = {
    agent,
    refusal,
    unresolved,
    blocked,
    warning,
    held,
    parts: parts.conditions,
    ...state,
    ...podRoutes(agent, revisions, state),
  }
  const status = toStatus(found, settings, context.now())
  // Changed or re-created meanwhile. Requeued here, since a change of fields that nothing depends on triggers no reconciliation.
  if (!(await writeStatus(cluster, AgentDeployment, agent, status))) return { requeueAfterMs: 0 }
  await recordEvents(cluster, agent, [...events, ...statusEvents(agent, status)], context.now())
  await context.removeFormerKeys(agent, state)
  const kept = await pruneRevisions(cluster, agent, status)
  await context.authors.note(agent, kept)
  return nextResult(found)
}

/** The agent with the parts of plugins, or why it cannot run. The spec itself is checked first, without parts. */
async function mergedParts(
  { cluster, settings, parts = noParts, unenforced = [] }: ReconcileContext,
  agent: AgentDeploymentObject,
): Promise<ReturnType<typeof mergeParts>> {
  const refusal = validateSpec(agent, settings) ?? refuseUnenforced(agent, unenforced)
  return refusal === undefined ? mergeParts(agent, await collectParts(parts, agent, cluster), settings) : { refusal }
}

// What runs stays as it is: without the part of its plugin, its pods would run without what the field asks for.
function refuseUnenforced(
  { spec }: AgentDeploymentObject,
  unenforced: readonly UnenforcedField[],
): ConditionProblem | undefined {
  const message = problemOfUnenforced(spec, unenforced)
  return message === undefined ? undefined : { reason: 'PluginDisabled', message }
}

// A deployed revision has passed: its objects are kept as they should be.
async function holdsOf(
  { cluster, parts = noParts }: ReconcileContext,
  agent: AgentDeploymentObject,
  revision: string,
): Promise<readonly HeldRevision[]> {
  if (parts.gates.length === 0) return []
  const { deployed } = await readDeployed(cluster, agent)
  return deployed === revision ? [] : askGates(parts, { agent, revision, deployed }, cluster)
}

const noParts: AgentParts = { pods: [], gates: [] }

function nextResult({ unresolved, blocked, held = [], progress, isLeaving }: Findings): ReconcileResult {
  if (unresolved !== undefined || blocked !== undefined) return { retryAfterMs: RETRY_MS }
  if (held.length > 0) return { requeueAfterMs: WHILE_HELD_MS }
  if (progress === undefined || progress.complete || progress.failure?.reason === 'JobFailed')
    return isLeaving ? { requeueAfterMs: WHILE_LEAVING_MS } : {}
  return { requeueAfterMs: WHILE_PROGRESSING_MS }
}
