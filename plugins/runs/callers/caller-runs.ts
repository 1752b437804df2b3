import type { Static } from 'typebox'
import type { Access, Caller } from '#core/cluster/caller.ts'
import type { ObservedReads } from '#core/cluster/observed-objects.ts'
import { accountActor } from '#core/event-store/event.ts'
import type { Actor } from '#core/event-store/event.ts'
import type { Core } from '#core/plugin/core-services.ts'
import type { DnsLabel } from '#core/kube/names.ts'
import type { Store } from '#core/event-store/store.ts'
import { readAgentExistence } from '../launchers/agent-exists.ts'
import { explainReadiness } from '../launchers/agent-readiness.ts'
import { createRun } from '../create/create-run.ts'
import type { CreateServices } from '../create/create-run.ts'
import { targetOf } from '../create/find-target.ts'
import { checkProof, invoke } from '../create/permission.ts'
import { newRun } from '../create/new-run.ts'
import { unknownRun } from '../read/unknown-run.ts'
import { decideCancel } from '../lifecycle/decide.ts'
import type { CallerRuns, OpenRun } from '../contract/caller-runs.ts'
import type { AgentRunRequest } from '../contract/run-request.ts'
import type { LiveUpdates } from '../contract/live-frame.ts'
import { resumeRun } from '../interrupts/resume-run.ts'
import { noActivity, readActivity, readActivityOf } from '../store/read-activity.ts'
import { noCosts, readCosts, readCostsOf } from '../store/read-costs.ts'
import { toDetail, toError, toListed } from '../read/to-run.ts'
import { idPattern } from '../contract/run.ts'
import type { Run, RunDetail } from '../contract/run.ts'
import type { RunContents, RunOfContents } from '../contract/points.ts'
import type { runsSettings } from '../contract/settings.ts'
import { locateRun, readRun, readRunContent, readRunDetail, readRunError } from '../store/reads.ts'
import { countRuns, listRuns } from '../store/lists/select-runs.ts'
import type { RunsTables, SelectedRun } from '../contract/tables.ts'
import { readTree } from '../read/read-tree.ts'
import type { RunWriter } from '../lifecycle/run-writer.ts'

/** Dependencies. */
export interface CallerRunsDependencies extends Pick<CreateServices, 'refused'> {
  readonly settings: CreateServices['settings'] & Pick<Static<typeof runsSettings>, 'retentionDays'>
  readonly core: Pick<Core, 'keys' | 'now'>
  readonly store: Store
  readonly live: LiveUpdates
  readonly writer: RunWriter
  readonly observed: ObservedReads
  /** Contents of spans; undefined without a plugin that keeps them. */
  readonly contents?: () => RunContents | undefined
}

/** Creates the runs for callers. */
export function createCallerRuns(services: CallerRunsDependencies): CallerRuns {
  const { store, writer } = services
  const db = store.reader<RunsTables>()
  const open = (caller: Caller, id: string) => openRun(db, caller, id)
  const changeable = async (access: Access, id: string): Promise<SelectedRun> => {
    const run = await readRun(db, accessFor('update', access), id)
    if (!run) throw unknownRun()
    return run
  }
  const { retentionDays } = services.settings
  const detail = (run: SelectedRun): Promise<RunDetail> => detailOf(db, run, retentionDays)
  return {
    open,
    create: (caller, access, request) => createFor(services, caller, access, request),
    get: async (caller, id, namespace) => {
      const found = await readRunDetail(db, await reviewGet(db, caller, id, namespace), id)
      if (!found) throw unknownRun()
      return detailOf(db, found, retentionDays, found)
    },
    explain: async (caller, id) => {
      const { run } = await open(caller, id)
      return explainReadiness(caller, await detail(run), run, services.core.now())
    },
    tree: async (caller, id, after) => {
      const { run } = await open(caller, id)
      const contentOf = await services.contents?.()?.find(caller, toContentsOf(run))
      const [tree, costs, error] = await Promise.all([
        readTree(db, run, after, contentOf),
        readCostsOf(db, run),
        readRunError(db, run),
      ])
      return { ...tree, root: { ...tree.root, cost: costs.cost, error: toError(run, error) }, ...costs }
    },
    list: async (access, filter, page) => {
      const found = await listRuns(db, accessFor('list', access), filter, page)
      const [costs, activity] = await Promise.all([readCosts(db, found), readActivity(db, found)])
      return found.map((run) => {
        const read = activity.get(run.id)
        return withTimes(toListed(run, costs.get(run.id) ?? noCosts, read), read?.pausedAt, retentionDays)
      })
    },
    count: (access, filter) => countRuns(db, accessFor('list', access), filter),
    mayUpdate: async (caller, id) => {
      const { access } = await open(caller, id)
      return caller.review('update', 'runs', { namespace: access.namespace })
    },
    resume: async ({ caller, access }, id, answer) => {
      await resumeRun(services, caller, await changeable(access, id), answer)
      return detail(await changeable(access, id))
    },
    cancel: async ({ caller, access }, id) => {
      await changeable(access, id)
      await cancelRun(writer, id, actorOf(caller))
      return detail(await changeable(access, id))
    },
  }
}

function toContentsOf({ id, trace_id: traceId, namespace, agent_uid: agentUid }: SelectedRun): RunOfContents {
  return { id, traceId, namespace, agentUid }
}

/** The caller as actor, for the audit log. */
export function actorOf(caller: Caller): Actor {
  return accountActor(caller.username)
}

type Db = Parameters<typeof locateRun>[0]

/** The proof that the caller may get the runs of a namespace; default: the namespace of the run. */
async function reviewGet(db: Db, caller: Caller, id: string, known?: DnsLabel): Promise<Access<'get', 'runs'>> {
  const namespace = known ?? (idPattern.test(id) ? await locateRun(db, id) : undefined)
  const access = namespace && (await caller.may('get', 'runs', { namespace: namespace as DnsLabel }))
  if (!access) throw unknownRun()
  return access
}

async function detailOf(
  db: Db,
  run: SelectedRun,
  retentionDays: number,
  known?: Awaited<ReturnType<typeof readRunContent>>,
): Promise<RunDetail> {
  const [costs, { activity, pausedAt }, content] = await Promise.all([
    readCostsOf(db, run),
    readActivityOf(db, run),
    known ?? readRunContent(db, run),
  ])
  return withTimes(toDetail(run, { ...costs, ...activity }, content), pausedAt, retentionDays)
}

const DAY_MS = 86_400_000

/** The run with the times of its open interrupts: those of its pause. */
function withTimes<R extends Run>(run: R, pausedAt: Date | null | undefined, retentionDays: number): R {
  if (pausedAt === null || pausedAt === undefined) return run
  const expiresAt = new Date(pausedAt.getTime() + retentionDays * DAY_MS).toISOString()
  const times = { askedAt: pausedAt.toISOString(), expiresAt }
  return { ...run, interrupts: run.interrupts.map((interrupt) => ({ ...interrupt, ...times })) }
}

async function openRun(db: Db, caller: Caller, id: string): Promise<OpenRun> {
  const access = await reviewGet(db, caller, id)
  const run = await readRun(db, access, id)
  if (!run) throw unknownRun()
  return { run, access }
}

function accessFor<Verb extends 'list' | 'update'>(verb: Verb, access: Access): Access<Verb, 'runs'> {
  if (access.verb !== verb || access.resource !== 'runs') throw new Error(`to ${verb} runs needs the proof for it`)
  return access as Access<Verb, 'runs'>
}

async function createFor(
  services: CallerRunsDependencies,
  caller: Caller,
  access: Access,
  request: AgentRunRequest,
): Promise<RunDetail> {
  const { namespace } = request.agent
  checkProof(caller, access, { ...invoke, ...request.agent })
  const existence = () => readAgentExistence(caller, request.agent)
  const made = await newRun(services, { subject: await caller.whoami(), existence }, request)
  const run = await createRun(services, made, targetOf(made))
  const isKnown = run.id !== made.runId && (await caller.may('get', 'runs', { namespace })) !== undefined
  if (isKnown) return detailOf(services.store.reader<RunsTables>(), run, services.settings.retentionDays)
  return toDetail(
    asQueued(run),
    { ...noCosts, ...noActivity },
    {
      input: request.input,
      output: null,
      error: null,
      interrupts: [],
      decisions: [],
    },
  )
}

// A repeat by a caller that may not get runs returns the first response, not the current state (SEC18).
function asQueued(run: SelectedRun): SelectedRun {
  return {
    ...run,
    state: 'queued',
    pause_reason: null,
    fail_reason: null,
    decided_by: null,
    wait_reason: null,
    open_interrupts: [],
    agent_revision: null,
    started_at: null,
    finished_at: null,
    input_tokens: 0,
    output_tokens: 0,
    cached_tokens: 0,
    reasoning_tokens: 0,
  }
}

/** Cancels a run. Child runs are cancelled by its event (`consumers.ts`). */
export async function cancelRun(writer: RunWriter, id: string, actor: Actor): Promise<void> {
  await writer.change(id, { actor }, (facts) => ({ facts: decideCancel(facts) }))
}
