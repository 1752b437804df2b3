import { canonicalJson } from '#core/json/canonical-json.ts'
import type { ReconcileResult } from '#core/controllers/watch/declarations.ts'
import type { KubeClient, KubeObject } from '#core/kube/client.ts'
import { KubeError, isStatus } from '#core/kube/status.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject, AgentDeploymentStatus } from '#schemas/crds/agent-deployment.ts'
import type { LauncherKeyRecorder } from '../points.ts'
import { controllerRevisions } from '../resources.ts'
import { refusalOf } from './accept.ts'
import type { Refusal } from './accept.ts'
import { FIELD_MANAGER, NotOurs, UnusableKeys, applyChild, ensureKeys, find, removeChild } from './apply.ts'
import { happeningsOf, record } from './events.ts'
import type { Happening } from './happening.ts'
import { toLauncherConfig } from './launcher-config.ts'
import { replaceLostPods } from './lost-pods.ts'
import {
  toConfigMap,
  toDeployment,
  toJob,
  toNetworkPolicy,
  toPodDisruptionBudget,
  toService,
  toServiceAccount,
} from './objects.ts'
import type { Workload } from './objects.ts'
import { isOwnedBy, refIn } from './owner.ts'
import type { Deployment } from './progress.ts'
import { prune } from './prune.ts'
import { resolveReferences } from './resolve.ts'
import type { RevisionAuthors } from './revision-author.ts'
import { planRevision, toRevisionData } from './revision.ts'
import type { RevisionPlan } from './revision.ts'
import type { ReconcileSettings } from './settings.ts'
import { toStatus } from './status.ts'
import type { Findings } from './status.ts'
import { readRevisions, readWorkload } from './workload-state.ts'

/** Dependencies of a reconciliation. */
export interface ReconcileContext {
  readonly cluster: KubeClient
  readonly settings: ReconcileSettings
  readonly now: () => Date
  readonly recordKey: LauncherKeyRecorder
  readonly authors: RevisionAuthors
}

/** Interval of reading pods while a revision rolls out. Otherwise only terminations of containers are watched. */
const WHILE_PROGRESSING_MS = 2_000
const WHILE_UNRESOLVED_MS = 15_000

/** Reconciles one agent: revision, objects, status. A spec that cannot run leaves the running workload unchanged. */
export async function reconcileAgent(
  context: ReconcileContext,
  agent: AgentDeploymentObject,
): Promise<ReconcileResult> {
  const { cluster, settings } = context
  const happenings: Happening[] = []
  const revisions = await readRevisions(cluster, agent)
  const refusal = refusalOf(agent, settings)
  const resolution = refusal === undefined ? await resolveReferences(cluster, agent) : undefined
  const unresolved = resolution !== undefined && 'refusal' in resolution ? resolution.refusal : undefined
  let blocked: Refusal | undefined
  if (resolution !== undefined && 'resolved' in resolution) {
    const data = toRevisionData(agent, resolution.resolved)
    const plan = planRevision(agent, data, revisions)
    const config = toLauncherConfig(agent, data)
    const workload = { agent, revision: plan.name, revisionNumber: plan.first, config }
    blocked = await blockedBy(async () => {
      await carryOut(context, agent, plan, happenings)
      await makeObjects(context, workload)
    })
  }
  const state = await readWorkload(cluster, agent, context.now())
  happenings.push(...(await replaceLostPods(cluster, state.pods)))
  const warning = resolution !== undefined && 'warning' in resolution ? resolution.warning : undefined
  const found: Findings = { agent, refusal, unresolved, blocked, warning, ...state }
  const status = toStatus(found, settings, context.now())
  // Changed or re-created meanwhile. Requeued here, since a change of fields that nothing depends on triggers no reconciliation.
  if (!(await writeStatus(cluster, agent, status))) return { requeueAfterMs: 0 }
  await record(cluster, agent, [...happenings, ...happeningsOf(agent, status)], context.now())
  const kept = await prune(cluster, agent, status)
  await context.authors.note(agent, kept)
  return nextLook(found)
}

function nextLook(found: Findings): ReconcileResult {
  if (found.unresolved !== undefined) return { requeueAfterMs: WHILE_UNRESOLVED_MS }
  if (found.blocked !== undefined)
    return { requeueAfterMs: found.blocked.reason === CLUSTER_REFUSED ? WHILE_UNRESOLVED_MS : WHILE_PROGRESSING_MS }
  if (found.progress === undefined || found.progress.complete || found.progress.failure?.reason === 'JobFailed')
    return {}
  return { requeueAfterMs: WHILE_PROGRESSING_MS }
}

async function carryOut(
  { cluster }: ReconcileContext,
  agent: AgentDeploymentObject,
  plan: RevisionPlan,
  happenings: Happening[],
): Promise<void> {
  if (plan.do === 'nothing') return
  if (plan.do === 'create') {
    await createRevision(cluster, agent, plan.object)
    happenings.push({
      type: 'Normal',
      reason: 'RevisionCreated',
      message: `Revision ${plan.revision} is ${plan.name}.`,
    })
    return
  }
  const body = { revision: plan.revision, metadata: { annotations: plan.annotations } }
  await cluster.patch(
    controllerRevisions,
    refIn(agent, plan.name),
    { type: 'merge', body },
    { fieldManager: FIELD_MANAGER },
  )
  happenings.push({
    type: 'Normal',
    reason: 'RevisionRestored',
    message: `${plan.name} is revision ${plan.revision} now.`,
  })
}

// Another manager may have been first. An equal revision of an earlier agent of this name will be garbage-collected.
async function createRevision(cluster: KubeClient, agent: AgentDeploymentObject, revision: KubeObject): Promise<void> {
  try {
    await cluster.create(controllerRevisions, revision, { fieldManager: FIELD_MANAGER })
  } catch (error) {
    if (!isStatus(error, 409)) throw error
    const live = await cluster.get<KubeObject>(controllerRevisions, refIn(agent, revision.metadata.name))
    if (!isOwnedBy(live, agent)) throw new NotOurs(live, agent)
  }
}

async function blockedBy(work: () => Promise<void>): Promise<Refusal | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    if (error instanceof NotOurs || error instanceof UnusableKeys)
      return { reason: error.reason, message: error.message }
    // A retry would fail the same way, so the owner is informed by a condition instead of the manager's log.
    if (error instanceof KubeError && refusing.has(error.status))
      return { reason: CLUSTER_REFUSED, message: refusalText(error) }
    throw error
  }
}

// Invalid, forbidden (by a quota, an admission policy, or for want of the manager's rights), too large.
const refusing: ReadonlySet<number> = new Set([400, 403, 413, 422])
const CLUSTER_REFUSED = 'ClusterRefused'

function refusalText({ message, details: { kind, name } }: KubeError): string {
  return kind === undefined || name === undefined ? message : `${kind} ${name}: ${message}`
}

async function makeObjects(context: ReconcileContext, workload: Workload): Promise<void> {
  const { cluster, settings } = context
  const { agent } = workload
  await applyChild(cluster, agent, toServiceAccount(agent))
  // Before any pod, since workers refuse launchers with an unknown key.
  await context.recordKey(agent.metadata.uid ?? '', await ensureKeys(cluster, agent))
  await applyChild(cluster, agent, toConfigMap(workload))
  await applyChild(cluster, agent, toNetworkPolicy(agent, settings))
  if (agent.spec.executionModel === 'job') return makeJob(context, workload)
  await applyChild(cluster, agent, toService(agent))
  await applyChild(cluster, agent, toPodDisruptionBudget(agent))
  const live = await find<Deployment>(cluster, 'Deployment', refIn(agent, agent.metadata.name))
  await applyChild(cluster, agent, toDeployment(workload, settings, live))
}

async function makeJob({ cluster, settings }: ReconcileContext, workload: Workload): Promise<void> {
  const { agent, revision } = workload
  for (const kind of ['Deployment', 'Service', 'PodDisruptionBudget'] as const)
    await removeChild(cluster, agent, kind, agent.metadata.name)
  // The pod template of a Job is immutable: an existing Job belongs to this revision.
  const live = await find(cluster, 'Job', refIn(agent, revision))
  if (live === undefined) await applyChild(cluster, agent, toJob(workload, settings))
}

/** Returns false if the object was replaced: a status must never be written to a successor of the same name. */
async function writeStatus(
  cluster: KubeClient,
  agent: AgentDeploymentObject,
  status: AgentDeploymentStatus,
): Promise<boolean> {
  if (canonicalJson(status) === canonicalJson(agent.status ?? {})) return true
  const gone = Object.keys(agent.status ?? {}).filter((key) => !(key in status))
  const { name, resourceVersion } = agent.metadata
  const body = {
    metadata: { resourceVersion },
    status: { ...Object.fromEntries(gone.map((key) => [key, null])), ...status },
  }
  try {
    await cluster.patch(AgentDeployment, refIn(agent, name), { type: 'merge', body }, { subresource: 'status' })
    return true
  } catch (error) {
    if (isStatus(error, 409) || isStatus(error, 404)) return false
    throw error
  }
}
