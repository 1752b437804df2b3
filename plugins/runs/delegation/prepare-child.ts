import type { UserInfo } from '#core/cluster/caller.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { Store } from '#core/event-store/store.ts'
import type { Core } from '#core/plugin/core-services.ts'
import type { StateContext } from '#core/plugin/role-contexts.ts'
import type { AttemptToken } from '#schemas/runs/run.ts'
import type { PreparedRun } from '../contract/prepared-run.ts'
import { runErrors } from '../contract/errors.ts'
import { idPattern } from '../contract/run.ts'
import type { RunsTables, SelectedRun } from '../contract/tables.ts'
import { isOfItself, toQuestion } from '../create/permission.ts'
import type { PermissionIn } from '../create/permission.ts'
import { isSettled } from '../lifecycle/decide.ts'
import { permissionOf, sealPrepared } from '../prepared/prepare.ts'
import { checkRequest, refuse } from '../prepared/request.ts'
import { findRun } from '../store/internal/find-run.ts'
import { holdsLease } from '../store/internal/lease.ts'
import { inheritedDeadline } from './inherited-deadline.ts'
import { subjectOfRun } from './subject-of-run.ts'

/** Dependencies. */
interface PrepareChildServices {
  readonly core: Core
  readonly store: Store
  readonly state: Pick<StateContext, 'subjectMay'>
}

/**
 * Prepares a child of an executor's run, for the worker that holds it. The subject is that of the stored grant, and its right to the child is reviewed
 * now. A run of an agent delegates by its launcher instead.
 */
export async function prepareChild(
  services: PrepareChildServices,
  runId: string,
  attempt: AttemptToken,
  request: object,
): Promise<PreparedRun> {
  checkRequest(request)
  const parent = await heldRun(services, runId, attempt)
  const deadline = await deadlineBelow(services, parent, request.deadline)
  const permission = permissionOf(services, request)
  const subject = await subjectOfRun(services, parent)
  await checkRight(services, { subject, executor: parent.executor }, permission)
  const { id, root_run_id } = parent
  return sealPrepared(
    services,
    { subject, signedBy: 'grant', permission, parent: { id, root_run_id } },
    { ...request, deadline },
  )
}

async function heldRun({ store }: PrepareChildServices, runId: string, attempt: AttemptToken): Promise<SelectedRun> {
  const db = store.reader<RunsTables>()
  const isOwn = attempt.runId === runId && idPattern.test(runId)
  const run = isOwn ? await findRun(db, runId) : undefined
  if (run === undefined) throw new Fail('not_found')
  if (run.executor === null) throw new Fail('forbidden', 'Only runs of an executor prepare child runs.')
  if (isSettled(run.state)) throw new Fail(runErrors.run_terminal)
  if (!(await holdsLease(db, { runId, epoch: attempt.epoch })))
    throw new Fail('conflict', 'Another worker has the run.')
  return run
}

async function deadlineBelow(
  { store, core }: PrepareChildServices,
  parent: SelectedRun,
  named: string | undefined,
): Promise<string | undefined> {
  const inherited = await inheritedDeadline(store, parent, undefined)
  const deadline = named === undefined ? inherited : new Date(named)
  if (deadline === undefined) return undefined
  if (inherited !== undefined && deadline > inherited)
    throw refuse('/deadline', `must not be after the deadline of the run, ${inherited.toISOString()}`)
  if (deadline <= core.now()) throw refuse('/deadline', 'must be in the future')
  return deadline.toISOString()
}

async function checkRight(
  { core, state }: PrepareChildServices,
  { subject, executor }: { readonly subject: UserInfo; readonly executor: string | null },
  permission: PermissionIn,
): Promise<void> {
  const { verb, resource, namespace, name } = permission
  const own = /^system:serviceaccount:([^:]+):/.exec(subject.username)?.[1]
  if (own !== undefined && own !== namespace)
    throw new Fail('forbidden', 'A ServiceAccount has runs only in its own namespace.')
  if (isOfItself(core, { subject: subject.username, executor }, permission)) return
  if (!(await state.subjectMay(subject, toQuestion(permission))))
    throw new Fail('forbidden', `The subject of the run may not ${verb} ${resource} ${name ?? ''} in ${namespace}.`)
}
