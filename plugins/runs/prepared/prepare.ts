import type { Access, Caller, UserInfo } from '#core/cluster/caller.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { parseRef } from '#core/kube/names.ts'
import type { DnsLabel, DnsName } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
import type { Core } from '#core/plugin/core-services.ts'
import type { ManagerContext } from '#core/plugin/role-contexts.ts'
import { formatTraceparent, parseTraceparent, startTrace } from '#core/telemetry/traceparent.ts'
import { checkProof, invoke, isOfItself, toQuestion, toScope } from '../create/permission.ts'
import type { PermissionIn } from '../create/permission.ts'
import { newRun } from '../create/new-run.ts'
import type { RunAuthority } from '../create/new-run.ts'
import { runExecutor } from '../contract/points.ts'
import { checkRequest, refuse } from './request.ts'
import type { PrepareRequest, PreparedRun, AccountName } from '../contract/prepared-run.ts'
import { refuseAbsentRevision } from './running-revision.ts'
import { sealRun } from './seal.ts'

/** Dependencies. */
export interface PrepareServices {
  readonly core: Pick<Core, 'keys' | 'now' | 'observed' | 'extensions'>
}

const daySeconds = 24 * 3600
const serviceAccounts = {
  group: '',
  version: 'v1',
  plural: 'serviceaccounts',
  kind: 'ServiceAccount',
  namespaced: true,
}

/** Prepares a run of the caller, whose permission the given proof shows. */
export async function prepareRun(
  services: PrepareServices,
  caller: Pick<Caller, 'username' | 'whoami' | 'cluster'>,
  access: Access,
  request: PrepareRequest,
): Promise<PreparedRun> {
  checkRequest(request)
  const permission = permissionOf(services, request)
  checkProof(caller, access, permission)
  await refuseAbsentRevision(caller.cluster, request)
  return sealPrepared(services, { subject: await caller.whoami(), signedBy: 'grant', permission }, request)
}

/**
 * Prepares a run of a ServiceAccount of the run's namespace, for runs that no caller requests directly. The account must exist, and a
 * SubjectAccessReview must allow the run now. The rights of the object's author are irrelevant (ADR 0063).
 */
export async function prepareRunAs(
  services: PrepareServices,
  manager: Pick<ManagerContext, 'cluster' | 'subjectMay'>,
  account: AccountName,
  request: PrepareRequest,
): Promise<PreparedRun> {
  checkRequest(request)
  const permission = permissionOf(services, request)
  const { verb, resource, namespace, name } = permission
  const ref = parseRef({ namespace, name: account.name }, ['namespace', 'serviceAccount'])
  if (account.namespace !== namespace)
    throw new Fail('forbidden', 'A ServiceAccount has runs only in its own namespace.')
  const subject = await readAccount(manager, ref)
  const isItself = isOfItself(
    services.core,
    { subject: subject.username, executor: request.executor?.kind },
    permission,
  )
  if (!isItself && !(await manager.subjectMay(subject, toQuestion(permission))))
    throw new Fail(
      'forbidden',
      `The ServiceAccount ${ref.name} may not ${verb} ${resource} ${name ?? ''} in ${namespace}.`,
    )
  await refuseAbsentRevision(manager.cluster, request)
  return sealPrepared(services, { subject, signedBy: 'account', permission }, request)
}

/** The permission that the run of a request needs. */
export function permissionOf(
  { core }: PrepareServices,
  { agent, executor }: Pick<PrepareRequest, 'agent' | 'executor'>,
): PermissionIn {
  if (agent !== undefined) return { ...invoke, ...agent }
  const found = core.extensions(runExecutor).find(({ kind }) => kind === executor?.kind)
  if (executor === undefined || found === undefined)
    throw refuse('/executor/kind', 'is not a kind of run of this installation')
  return { ...found.permission, namespace: executor.namespace, name: executor.object }
}

/** A reviewed permission and its subject. */
export interface ReviewedRight extends Pick<RunAuthority, 'subject' | 'parent'> {
  readonly signedBy: 'grant' | 'account'
  readonly permission: PermissionIn
}

/** Creates and signs the run of a request whose permission was reviewed. */
export async function sealPrepared(
  { core }: PrepareServices,
  { permission, ...reviewed }: ReviewedRight,
  request: PrepareRequest,
): Promise<PreparedRun> {
  const { expiresInSeconds: seconds = daySeconds, deadline, revision, ...requested } = request
  const scopes = request.agent === undefined ? [toScope(permission)] : undefined
  const traceparent = formatTraceparent(parseTraceparent(request.traceparent) ?? startTrace())
  const endsBy = deadline === undefined ? undefined : new Date(deadline)
  const authority = { ...reviewed, scopes, deadline: endsBy, revision }
  const run = await newRun({ core, observed: core.observed }, authority, { ...requested, traceparent })
  return sealRun(core.keys, run, { now: core.now(), seconds, by: reviewed.signedBy })
}

/** The account as the API server would authenticate it. An account that does not exist cannot make a request. */
async function readAccount(
  { cluster }: Pick<ManagerContext, 'cluster'>,
  ref: { readonly namespace: DnsLabel; readonly name: DnsName },
): Promise<UserInfo> {
  const { namespace, name } = ref
  const missing = () => new Fail('not_found', `There is no ServiceAccount ${name} in ${namespace}.`)
  const { metadata } = await cluster.get(serviceAccounts, ref).catch((error: unknown) => {
    throw isStatus(error, 404) ? missing() : error
  })
  if (metadata.deletionTimestamp !== undefined) throw missing()
  return {
    username: `system:serviceaccount:${namespace}:${name}`,
    uid: metadata.uid ?? '',
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
    extra: {},
  }
}
