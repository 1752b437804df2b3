import type { Access } from '#core/cluster/caller.ts'
import type { Core } from '#core/plugin/core-services.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { Store } from '#core/event-store/store.ts'
import { JwsRefused, signJws, verifyJws } from '#core/signing/jws.ts'
import type { Claims } from '#core/signing/jws.ts'
import { runErrors } from '../contract/errors.ts'
import type { RunFilter, RunPage } from '../contract/caller-runs.ts'
import type { FoundRun, RunPosition, SealAccessOptions, SealedAccess } from '../contract/found-run.ts'
import { idPattern } from '../contract/run.ts'
import type { RunsTables } from '../contract/tables.ts'
import { findRun } from '../store/internal/find-run.ts'
import { listRunsOfUid } from '../store/lists/sealed-runs.ts'
import { toFound } from './find-run.ts'
import { unknownRun } from './unknown-run.ts'

/** Dependencies. */
interface SealServices {
  readonly core: Pick<Core, 'keys' | 'now' | 'observed'>
}

interface OpenServices {
  readonly core: Pick<Core, 'keys' | 'now'>
  readonly store: Pick<Store, 'reader'>
}

interface AccessClaims extends Claims {
  readonly typ: 'mesh-run-access'
  readonly subject: string
  readonly namespace: string
  readonly namespaceUid: string
  /** Absent: every run of the namespace. */
  readonly runId?: string
}

const hourSeconds = 3600
const maxSeconds = 24 * hourSeconds

/** Seals the proof of a review of `get runs`. A proof of one run covers no other. */
export async function sealAccess(
  { core }: SealServices,
  access: Access<'get', 'runs'>,
  { runId = access.name, expiresInSeconds: seconds = hourSeconds }: SealAccessOptions = {},
): Promise<SealedAccess> {
  checkAccess(access, runId)
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > maxSeconds)
    throw new RangeError(`expiresInSeconds must be a whole number from 1 to ${maxSeconds}`)
  const { username: subject, namespace } = access
  const namespaceUid = await core.observed.namespaceUid(namespace)
  if (namespaceUid === undefined) throw new Fail('not_found', `There is no namespace ${namespace}.`)
  const iat = Math.floor(core.now().getTime() / 1000)
  const covered = { subject, namespace, namespaceUid, ...(runId === undefined ? {} : { runId }) }
  const claims: AccessClaims = { typ: 'mesh-run-access', ...covered, iat, exp: iat + seconds }
  return signJws(core.keys.current('grant'), claims)
}

/** Finds a run that the sealed access covers. Throws `run_access_refused` for an access that is invalid, expired or for another run. */
export async function findSealed(
  { core, store }: OpenServices,
  sealed: SealedAccess,
  runId: string,
): Promise<FoundRun> {
  const claims = await openAccess(core, sealed)
  const run = idPattern.test(runId) ? await findRun(store.reader<RunsTables>(), runId) : undefined
  if (run === undefined) throw unknownRun()
  const isOther = claims.runId !== undefined && claims.runId !== run.id
  if (isOther || claims.namespace !== run.namespace || claims.namespaceUid !== run.namespace_uid)
    throw refused('It covers another run.')
  return toFound(run)
}

/** A page of the runs of a namespace that the sealed access covers, newest first. Throws `run_access_refused` for one of a single run. */
export async function listSealed(
  { core, store }: OpenServices,
  sealed: SealedAccess,
  filter: RunFilter,
  page: Pick<RunPage, 'limit' | 'after'>,
): Promise<readonly RunPosition[]> {
  const claims = await openAccess(core, sealed)
  if (claims.runId !== undefined) throw refused('It covers one run.')
  return listRunsOfUid(store.reader<RunsTables>(), claims, filter, page)
}

function checkAccess({ verb, resource, group, namespace, name }: Access, runId: string | undefined): void {
  // Untyped plugins may pass any proof.
  if (verb !== 'get' || resource !== 'runs' || group !== undefined)
    throw new Error(`the proof is for ${verb} ${resource}, a snapshot needs get runs`)
  if (namespace === '') throw new Error('the proof is for the whole cluster; review the namespace of the run')
  if (name !== undefined && name !== runId) throw new Error('the proof is for another run')
  if (runId !== undefined && !idPattern.test(runId)) throw new TypeError('runId must be the id of a run')
}

async function openAccess({ keys, now }: OpenServices['core'], sealed: unknown): Promise<AccessClaims> {
  if (typeof sealed !== 'string') throw refused('It is not a sealed access.')
  const expected = { typ: 'mesh-run-access', now } as const
  return verifyJws<AccessClaims>(sealed, (id) => keys.find('grant', id)?.key, expected).catch((error: unknown) => {
    if (!(error instanceof JwsRefused)) throw error
    throw refused(error.reason === 'expired' ? 'It has expired.' : 'It was not signed by this installation.')
  })
}

function refused(detail: string): Fail {
  return new Fail(runErrors.run_access_refused, detail)
}
