import { sleep } from '#core/async/sleep.ts'
import type { UserInfo } from '#core/cluster/caller.ts'
import type { CallingAgent } from '#core/cluster/calling-agent.ts'
import type { StateContext } from '#core/plugin/role-contexts.ts'
import { accountActor } from '#core/event-store/event.ts'
import type { Core } from '#core/plugin/core-services.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { JwsRefused } from '#core/signing/jws.ts'
import type { JsonWebKeyEd25519 } from '#core/signing/keyring.ts'
import { childOf as spanBelow, formatTraceparent, startTrace } from '#core/telemetry/traceparent.ts'
import type { Trace } from '#core/telemetry/traceparent.ts'
import type { Reader, Store } from '#core/event-store/store.ts'
import type { ChildOutcome, ChildRunRequest } from '../contract/wire.ts'
import { terminalStates } from '#schemas/runs/run.ts'
import type { AttemptToken } from '#schemas/runs/run.ts'
import { delegatedConversation } from './delegated-conversation.ts'
import { prepareChild } from './prepare-child.ts'
import { subjectOfRun } from './subject-of-run.ts'
import { createRun } from '../create/create-run.ts'
import type { CreateServices } from '../create/create-run.ts'
import { targetOf } from '../create/find-target.ts'
import { newRun } from '../create/new-run.ts'
import { fromScope, invoke, isOfItself, toQuestion } from '../create/permission.ts'
import { checkDepth } from '../create/run-depth.ts'
import { isSettled } from '../lifecycle/decide.ts'
import { checkDelegate } from './check-delegate.ts'
import { inheritedDeadline } from './inherited-deadline.ts'
import { isRunningOut, readAnyGrant, readAttempt, signGrant } from '../grants/grants.ts'
import type { WaitVerdict } from '../launchers/judge-readiness.ts'
import { readReadiness } from '../launchers/read-readiness.ts'
import type { LiveUpdates } from '../contract/live-frame.ts'
import { toError } from '../read/to-run.ts'
import { cancelRun } from '../callers/caller-runs.ts'
import { readContent, replaceGrant } from '../store/internal/content.ts'
import { findRun } from '../store/internal/find-run.ts'
import type { RunsTables, SelectedRun } from '../contract/tables.ts'
import type { RunWriter } from '../lifecycle/run-writer.ts'
import type { PreparedRun } from '../contract/prepared-run.ts'
import { runErrors } from '../contract/errors.ts'

/** Runs of the state role: child runs started in a pod, and repeated reviews of a subject's right. */
export interface ChildRuns {
  keys(): { readonly keys: readonly JsonWebKeyEd25519[] }
  create(agent: CallingAgent, delegation: ChildRunRequest, callerTrace: Trace | undefined): Promise<ChildOutcome>
  read(agent: CallingAgent, runId: string, waitMs: number): Promise<ChildOutcome>
  cancel(agent: CallingAgent, runId: string): Promise<void>
  /** Verifies the attempt token of a worker; undefined if this installation did not sign it. */
  attemptOf(token: string): Promise<AttemptToken | undefined>
  /** Returns the grant under which the run may continue, stored or renewed; undefined if the subject has lost the right. */
  recheck(runId: string, attempt: AttemptToken): Promise<string | undefined>
  /** Prepares a child of an executor's run for the worker that holds it. */
  prepare(runId: string, attempt: AttemptToken, request: Readonly<Record<string, unknown>>): Promise<PreparedRun>
  /** Returns why the agent of the run is not ready. */
  readiness(runId: string, attempt: AttemptToken): Promise<WaitVerdict>
}

/** Dependencies. */
export interface ChildRunServices extends Pick<CreateServices, 'settings' | 'refused'> {
  readonly core: Core
  readonly store: Store
  readonly live: LiveUpdates
  readonly writer: RunWriter
  readonly state: Pick<StateContext, 'cluster' | 'subjectMay'>
}

/** Creates the services of the state role. */
export function createChildRuns(services: ChildRunServices): ChildRuns {
  const { core, store } = services
  const db = store.reader<RunsTables>()
  return {
    keys: () => core.keys.jwks(['grant', 'account', 'attempt']),
    create: (agent, delegation, callerTrace) => delegate(services, agent, delegation, callerTrace),
    read: async ({ account }, runId, waitMs) => {
      const deadline = performance.now() + waitMs
      for (;;) {
        const run = await childOf(services, account, runId)
        if (terminalStates.has(run.state) || run.state === 'paused' || performance.now() > deadline)
          return toDelegated(services, run)
        await sleep(200)
      }
    },
    cancel: async ({ account }, runId) => {
      const run = await childOf(services, account, runId)
      await cancelRun(services.writer, run.id, accountActor(account.username))
    },
    attemptOf: (token) =>
      readAttempt(core.keys, token, core.now()).catch((error: unknown) => {
        if (error instanceof JwsRefused) return undefined
        throw error
      }),
    recheck: async (runId, attempt) => renewedGrant(services, await attemptedRun(db, runId, attempt)),
    prepare: (runId, attempt, request) => prepareChild(services, runId, attempt, request),
    readiness: async (runId, attempt) => readReadiness(services, await attemptedRun(db, runId, attempt)),
  }
}

async function attemptedRun(db: Reader<RunsTables>, runId: string, attempt: AttemptToken): Promise<SelectedRun> {
  const run = attempt.runId === runId ? await findRun(db, runId) : undefined
  if (!run) throw new Fail('not_found')
  return run
}

/** The caller is the agent of the parent run. The subject is that of the parent run, else the agent itself. */
async function delegate(
  services: ChildRunServices,
  agent: CallingAgent,
  delegation: ChildRunRequest,
  callerTrace: Trace | undefined,
) {
  const { core } = services
  const { namespace, name } = delegation.agent
  const parent =
    delegation.parentRunId === undefined ? undefined : await ownRun(services, agent, delegation.parentRunId)
  await checkDepth(services.store.reader<RunsTables>(), parent, delegation.maxDepth)
  checkDelegate(agent, { namespace, name })
  const subject = parent ? await subjectOfRun(services, parent) : agent.account
  if (!(await mayInvoke(services, subject, namespace, name)))
    throw new Fail('forbidden', 'The subject of the run may not invoke that agent.')
  const deadline = await deadlineOf(services, parent, delegation)
  const run = await newRun(
    { core, observed: core.observed },
    { subject, by: agent.account.username, ...(parent ? { parent } : {}), deadline },
    {
      agent: delegation.agent,
      input: delegation.input,
      conversationId: delegatedConversation(parent, delegation.conversationId),
      traceparent: formatTraceparent(traceOfChild(parent, callerTrace)),
      trigger: delegation.mode,
    },
  )
  return toDelegated(services, await createRun(services, run, targetOf(run)))
}

// A request without a run has no deadline to pass on.
async function deadlineOf(
  { store }: ChildRunServices,
  parent: SelectedRun | undefined,
  { deadline }: ChildRunRequest,
): Promise<Date | undefined> {
  return parent && inheritedDeadline(store, parent, deadline === undefined ? undefined : new Date(deadline))
}

/** The trace of the parent, below the launcher's span if the span belongs to that trace. Without a parent: a new trace (SEC26). */
export function traceOfChild(parent: SelectedRun | undefined, callerTrace: Trace | undefined): Trace {
  if (!parent) return startTrace()
  if (callerTrace?.traceId === parent.trace_id) return spanBelow(callerTrace)
  return { ...startTrace(), traceId: parent.trace_id }
}

/** Returns an active run of the calling agent, by its uid: a re-created agent has no run of its predecessor. Other runs are reported as unknown. */
export async function ownRun(
  services: ChildRunServices,
  { uid }: Pick<CallingAgent, 'uid'>,
  runId: string,
): Promise<SelectedRun> {
  const run = isUuid(runId) ? await findRun(services.store.reader<RunsTables>(), runId) : undefined
  if (run === undefined || run.agent_uid !== uid) throw new Fail('not_found')
  if (isSettled(run.state)) throw new Fail(runErrors.run_terminal)
  return run
}

/** Returns a run that was started by the calling pod. */
async function childOf(
  { store }: ChildRunServices,
  pod: Pick<UserInfo, 'username'>,
  runId: string,
): Promise<SelectedRun> {
  const run = isUuid(runId) ? await findRun(store.reader<RunsTables>(), runId) : undefined
  if (!run || run.trigger_by !== pod.username) throw new Fail('not_found')
  return run
}

/** Renews the stored grant for its subject and groups after an access review. Adds no right (SEC30, ADR 0022). */
async function renewedGrant(services: ChildRunServices, run: SelectedRun): Promise<string | undefined> {
  const { core, store } = services
  const content = await readContent(store.reader<RunsTables>(), run.id)
  const grant = content && (await readAnyGrant(core.keys, content.grant_token))
  if (!content || grant?.runId !== run.id || grant.subject !== run.subject) return undefined
  const { subject, groups } = grant
  const user: UserInfo = { username: subject, uid: '', groups, extra: {} }
  if (!(await isStillAllowed(services, user, run, grant.scopes))) return undefined
  if (!isRunningOut(grant, core.now())) return content.grant_token
  const same = { runId: run.id, agentUid: grant.agentUid, subject, groups, scopes: grant.scopes }
  const fresh = await signGrant(core.keys, same, core.now())
  await store.transact((tx) => replaceGrant(tx.tables<RunsTables>(), run.id, content.grant_token, fresh))
  return fresh
}

// The grant of a run without an agent names the reviewed permission.
async function isStillAllowed(
  services: ChildRunServices,
  user: UserInfo,
  run: SelectedRun,
  [scope]: readonly string[],
): Promise<boolean> {
  const { namespace, agent_name: name } = run
  const question = name === null ? fromScope(scope, namespace) : { ...invoke, namespace, name }
  if (question === undefined) return false
  const by = { subject: user.username, executor: await executorAbove(services, run) }
  const permission = { ...question, namespace }
  return isOfItself(services.core, by, permission) || services.state.subjectMay(user, toQuestion(permission))
}

/** Kind of the executor that has started the run of an agent, or that executes the run. */
async function executorAbove({ store }: ChildRunServices, run: SelectedRun): Promise<string | null> {
  if (run.executor !== null || run.parent_run_id === null) return run.executor
  return (await findRun(store.reader<RunsTables>(), run.parent_run_id))?.executor ?? null
}

/** Reviews whether the subject of a run may invoke an agent. */
export function mayInvoke(
  { state }: ChildRunServices,
  subject: UserInfo,
  namespace: string,
  name: string,
): Promise<boolean> {
  return state.subjectMay(subject, { verb: 'create', resource: 'agentdeployments/invoke', namespace, name })
}

/** State and outcome of a run, for the pod that waits for it. */
export async function toDelegated(services: ChildRunServices, run: SelectedRun): Promise<ChildOutcome> {
  const content = await readContent(services.store.reader<RunsTables>(), run.id)
  return { id: run.id, state: run.state, output: content?.output ?? null, error: toError(run, content?.error) }
}

/** Whether a string can be the id of a run. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)
}
