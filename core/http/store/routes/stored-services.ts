import type { ObservedReads } from '#core/cluster/observed-objects.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { Store, Tx } from '#core/event-store/store.ts'
import { asObject } from '#core/json/is-object.ts'
import type { Call } from '../../endpoint/endpoint.ts'
import { requireVersion, versioned } from '../row-version.ts'
import { readLabels } from '../objects/revisions.ts'
import type { RevisionLabels } from '../objects/revisions.ts'
import type { StoredResource } from '../declared/stored-resource.ts'
import type { StoredKey, StoredRow } from '../objects/stored-rows.ts'
import type { Authorship } from '../objects/stored-writes.ts'

/** Services of the routes of a stored resource. */
export interface StoredServices {
  readonly store: Store
  readonly observed: Pick<ObservedReads, 'namespaceUid'>
  readonly now: () => Date
  /** Maximum number of objects per namespace. */
  readonly quota: number
  /** Labels that need the verb `promote`. */
  readonly protects: readonly string[]
}

type VersionCall = Parameters<typeof versioned>[0]

/** Uid of a namespace. Throws `not_found` for one that the manager has not observed. */
export async function uidOf({ observed }: StoredServices, namespace: string): Promise<string> {
  // A namespace that was created a moment ago is observed some milliseconds later.
  const uid = await observed.namespaceUid(namespace, 500)
  if (uid === undefined) throw new Fail('not_found')
  return uid
}

/** Author and time of a request. */
export function authorshipOf(
  { now }: StoredServices,
  { caller }: Pick<Call<unknown, unknown, unknown>, 'caller'>,
): Authorship {
  return { by: caller.username, at: now() }
}

/** Compares `If-Match` of a request with the version of the locked object. */
export function expectVersion(call: VersionCall): (version: number) => void {
  return (version) => requireVersion(call, version)
}

/** Result of a transaction that was rolled back, since its request was a dry run. */
class DryRun<Result> extends Error {
  readonly result: Result
  constructor(result: Result) {
    super('the transaction of a dry run is rolled back')
    this.name = 'DryRun'
    this.result = result
  }
}

/** Runs a write in one transaction. With `?dryRun=All` everything is checked, and nothing is stored. */
export async function writeStored<Result>(
  { store }: StoredServices,
  { query }: { readonly query: unknown },
  write: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  if (asObject(query).dryRun !== 'All') return store.transact(write)
  const tried = store.transact(async (tx): Promise<never> => {
    throw new DryRun(await write(tx))
  })
  return tried.catch((error: unknown) => {
    if (error instanceof DryRun) return error.result as Result
    throw error
  })
}

/** The object of a path in the namespace of the proof. */
export function storedKeyOf(call: {
  readonly access: { readonly namespace: string }
  readonly params: { readonly name: string }
}): StoredKey {
  return { namespace: call.access.namespace, name: call.params.name }
}

/** An object in a response. */
export function showStored({ spec }: StoredResource, row: StoredRow, labels: RevisionLabels = {}): object {
  return {
    ...(row.fields as object),
    id: row.id,
    namespace: row.namespace,
    name: row.name,
    version: row.revision ?? row.version,
    ...(spec.revisions === undefined ? {} : { labels }),
    createdAt: row.created_at.toISOString(),
    createdBy: row.created_by,
    updatedAt: row.updated_at.toISOString(),
    updatedBy: row.updated_by,
  }
}

/** The response with one object and its `ETag`. */
export async function respondWith(
  { store }: StoredServices,
  resource: StoredResource,
  call: VersionCall,
  row: StoredRow,
): Promise<object | undefined> {
  return versioned(call, row.version, showStored(resource, row, await labelsOf(store, resource, row)))
}

/** Labels of one object; none without revisions. */
export async function labelsOf(
  store: Pick<Store, 'reader'>,
  { spec, names }: StoredResource,
  { id }: Pick<StoredRow, 'id'>,
): Promise<RevisionLabels> {
  if (spec.revisions === undefined) return {}
  return (await readLabels(store.reader(), names, [id])).get(id) ?? {}
}
