import type { ReconcileResult } from '#core/host/work.ts'
import type { KubeClient, KubeObject, ObjectRef } from '#core/kube/client.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
import { AGENT_DEFAULTS, AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject, AgentDeploymentStatus } from '#schemas/crds/agent-deployment.ts'
import { AGENT_LABEL } from '#schemas/labels.ts'
import { controllerRevisions, pods } from '../resources.ts'
import type { Revision } from '../revisions.ts'
import { refusalOf } from './accept.ts'
import type { Refusal } from './accept.ts'
import { FIELD_MANAGER, NotOurs, applyChild, ensureKeys, find, ignore, removeChild } from './apply.ts'
import { happeningsOf, record } from './events.ts'
import type { Happening } from './events.ts'
import { configName, toLauncherConfig } from './launcher-config.ts'
import {
  REVISION_ANNOTATION,
  toConfigMap,
  toDeployment,
  toJob,
  toNetworkPolicy,
  toPodDisruptionBudget,
  toService,
  toServiceAccount,
} from './objects.ts'
import type { Workload } from './objects.ts'
import { isOwnedBy } from './owner.ts'
import { podProblem } from './pod-problem.ts'
import type { AgentPod } from './pod-problem.ts'
import { deploymentProgress, jobProgress } from './progress.ts'
import type { Deployment, Job, Progress } from './progress.ts'
import { resolveReferences } from './resolve.ts'
import { planRevision, revisionsToPrune } from './revision.ts'
import type { RevisionData, RevisionPlan } from './revision.ts'
import type { ReconcileSettings } from './settings.ts'
import { stableJson } from './stable-hash.ts'
import { toStatus } from './status.ts'
import type { Findings } from './status.ts'

/** What a reconciliation works with. */
export interface ReconcileContext {
  readonly cluster: KubeClient
  readonly settings: ReconcileSettings
  readonly now: () => Date
}

/** Pods are not watched, there are too many in a cluster; while a revision comes up they are looked at this often. */
const WHILE_PROGRESSING_MS = 2_000
const WHILE_UNRESOLVED_MS = 15_000

/** Brings one agent towards its spec: revision, objects, status. A spec that cannot run leaves what runs as it is. */
export async function reconcileAgent(
  context: ReconcileContext,
  agent: AgentDeploymentObject,
): Promise<ReconcileResult> {
  const { cluster, settings } = context
  const happenings: Happening[] = []
  const revisions = await readRevisions(cluster, agent)
  const refusal = refusalOf(agent.spec, settings)
  const resolution = refusal === undefined ? await resolveReferences(cluster, agent) : undefined
  const unresolved = resolution !== undefined && 'refusal' in resolution ? resolution.refusal : undefined
  let blocked: Refusal | undefined
  if (resolution !== undefined && 'resolved' in resolution) {
    const data = { spec: agent.spec, resolved: resolution.resolved }
    const plan = planRevision(agent, data, revisions)
    const workload = { agent, revision: plan.name, config: toLauncherConfig(agent, data) }
    blocked = await blockedBy(async () => {
      await carryOut(context, agent, plan, happenings)
      await makeObjects(context, workload)
    })
  }
  const state = await readWorkload(cluster, agent)
  const found: Findings = { agent, refusal, unresolved, blocked, ...state }
  const status = toStatus(found, settings, context.now())
  await writeStatus(cluster, agent, status)
  await record(cluster, agent, [...happenings, ...happeningsOf(agent, status)], context.now())
  await prune(context, agent, status)
  return nextLook(found)
}

function nextLook(found: Findings): ReconcileResult {
  if (found.unresolved !== undefined) return { requeueAfterMs: WHILE_UNRESOLVED_MS }
  if (found.blocked !== undefined) return { requeueAfterMs: WHILE_PROGRESSING_MS }
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
      message: `Revision ${plan.object.revision} is ${plan.name}.`,
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

// Another manager may have been first; an equal revision of an earlier agent of this name is about to be collected.
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
    if (error instanceof NotOurs) return { reason: error.reason, message: error.message }
    throw error
  }
}

async function makeObjects(context: ReconcileContext, workload: Workload): Promise<void> {
  const { cluster, settings } = context
  const { agent } = workload
  await applyChild(cluster, agent, toServiceAccount(agent))
  await ensureKeys(cluster, agent)
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
  // The pods of a Job cannot change: one that is there is the one of this revision.
  const live = await find(cluster, 'Job', refIn(agent, revision))
  if (live === undefined) await applyChild(cluster, agent, toJob(workload, settings))
}

interface WorkloadState {
  readonly deployed: string | undefined
  readonly progress: Progress | undefined
  readonly podProblem: Refusal | undefined
}

/** What runs, read after the writes: also when the newest spec was refused and an older revision serves. */
async function readWorkload(cluster: KubeClient, agent: AgentDeploymentObject): Promise<WorkloadState> {
  const name = agent.spec.executionModel === 'job' ? await newestJob(cluster, agent) : agent.metadata.name
  const kind = agent.spec.executionModel === 'job' ? 'Job' : 'Deployment'
  const live = name === undefined ? undefined : await find<Deployment & Job>(cluster, kind, refIn(agent, name))
  if (live === undefined || !isOwnedBy(live, agent))
    return { deployed: undefined, progress: undefined, podProblem: undefined }
  const progress = kind === 'Job' ? jobProgress(live) : deploymentProgress(live)
  // A Job that has given up says so itself; its pods only repeat it.
  const settled = progress.complete || progress.failure?.reason === 'JobFailed'
  const problem = settled ? undefined : podProblem(await readPods(cluster, agent))
  return { deployed: live.metadata.annotations?.[REVISION_ANNOTATION], progress, podProblem: problem }
}

async function newestJob(cluster: KubeClient, agent: AgentDeploymentObject): Promise<string | undefined> {
  const revisions = await readRevisions(cluster, agent)
  return revisions.toSorted((a, b) => a.revision - b.revision).at(-1)?.metadata.name
}

async function readPods(cluster: KubeClient, agent: AgentDeploymentObject): Promise<readonly AgentPod[]> {
  const page = await cluster.list<AgentPod>(pods, selected(agent))
  return page.items
}

async function readRevisions(cluster: KubeClient, agent: AgentDeploymentObject): Promise<Revision[]> {
  const page = await cluster.list<Revision>(controllerRevisions, selected(agent))
  return page.items.filter((revision) => isOwnedBy(revision, agent))
}

function selected(agent: AgentDeploymentObject) {
  const namespace = parseLabel('metadata.namespace', agent.metadata.namespace ?? '')
  return { namespace, labelSelector: `${AGENT_LABEL}=${agent.metadata.name}` }
}

async function writeStatus(
  cluster: KubeClient,
  agent: AgentDeploymentObject,
  status: AgentDeploymentStatus,
): Promise<void> {
  if (stableJson(status) === stableJson(agent.status ?? {})) return
  const gone = Object.keys(agent.status ?? {}).filter((key) => !(key in status))
  const body = { status: { ...Object.fromEntries(gone.map((key) => [key, null])), ...status } }
  await cluster.patch(
    AgentDeployment,
    refIn(agent, agent.metadata.name),
    { type: 'merge', body },
    { subresource: 'status' },
  )
}

/** Forgets the oldest revisions beyond the limit, with the configurations and Jobs that only they used. */
async function prune(
  { cluster }: ReconcileContext,
  agent: AgentDeploymentObject,
  status: AgentDeploymentStatus,
): Promise<void> {
  const limit = agent.spec.rollout?.revisionHistoryLimit ?? AGENT_DEFAULTS.revisionHistoryLimit
  const revisions = await readRevisions(cluster, agent)
  const newest = revisions.toSorted((a, b) => a.revision - b.revision).at(-1)?.metadata.name
  const inUse = new Set([status.currentRevision, status.candidateRevision, status.latestSuccessfulRevision, newest])
  const old = revisionsToPrune(revisions, limit, inUse)
  const kept = new Set(revisions.filter((one) => !old.includes(one)).map((one) => configOf(agent, one)))
  for (const revision of old) {
    const config = configOf(agent, revision)
    if (config !== undefined && !kept.has(config)) await removeChild(cluster, agent, 'ConfigMap', config)
    await removeChild(cluster, agent, 'Job', revision.metadata.name)
    await cluster.delete(controllerRevisions, refIn(agent, revision.metadata.name)).catch(ignore(404))
  }
}

function configOf(
  agent: AgentDeploymentObject,
  revision: Revision & { data?: Partial<RevisionData> },
): string | undefined {
  const { spec, resolved } = revision.data ?? {}
  if (spec === undefined || resolved === undefined) return undefined
  return configName(agent, toLauncherConfig(agent, { spec, resolved }))
}

function refIn(agent: AgentDeploymentObject, name: string): ObjectRef {
  return { namespace: parseLabel('namespace', agent.metadata.namespace ?? ''), name: parseName('name', name) }
}
