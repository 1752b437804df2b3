import { ApiError, badRequest, forbidden, invalid, notFound, unsupportedMediaType } from '../json/api-error.ts'
import { isObject } from '../json/json-value.ts'
import { MEDIA_TYPES, isObjectType, parseAs } from '../json/parse-body.ts'
import type { Kind } from '../kinds/kind.ts'
import { deleteObject } from '../rules/deletion.ts'
import type { DeleteOptions, Propagation } from '../rules/deletion.ts'
import type { Store } from '../storage/store.ts'
import type { StoredVersion } from '../storage/stored.ts'
import { mediaType, readBytes } from '../json/read-body.ts'
import type { Exchange } from './exchange.ts'
import { listOptions } from './list-options.ts'
import { present, toVersion } from './read.ts'
import { isDryRun } from './write-options.ts'
import { keyOf } from './write.ts'
import type { WriteResponse } from './write.ts'

const KEPT_NAMESPACES = new Set(['default', 'kube-system', 'kube-public'])
const ORPHANED =
  'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning'
const OPTIONS = { group: 'meta.k8s.io', resource: 'deleteoptions', kind: 'DeleteOptions' }

function propagationOf(policy: unknown, orphan: unknown): Propagation | undefined {
  if (policy === undefined || policy === null || policy === '') {
    return orphan === undefined || orphan === null ? undefined : orphan ? 'Orphan' : 'Background'
  }
  if (policy === 'Foreground' || policy === 'Background' || policy === 'Orphan') return policy
  const message = `Unsupported value: ${JSON.stringify(policy)}: supported values: "Foreground", "Background", "Orphan", "nil"`
  throw invalid(OPTIONS, '', [{ reason: 'FieldValueNotSupported', message, field: 'propagationPolicy' }])
}

function checkGrace(seconds: unknown): number | undefined {
  if (seconds === undefined || seconds === null) return undefined
  if (typeof seconds !== 'number' || !Number.isInteger(seconds))
    throw badRequest('gracePeriodSeconds must be an integer')
  return seconds
}

function fromQuery(query: URLSearchParams): DeleteOptions {
  const grace = query.get('gracePeriodSeconds')
  const orphan = query.get('orphanDependents')
  return {
    propagation: propagationOf(query.get('propagationPolicy'), orphan === null ? undefined : orphan === 'true'),
    gracePeriodSeconds: grace === null ? undefined : checkGrace(Number(grace)),
    dryRun: isDryRun(
      query.getAll('dryRun').filter((value) => value !== ''),
      'DeleteOptions',
    ),
  }
}

/** DeleteOptions from the body, or from the query when the body is empty. */
async function deleteOptions(exchange: Exchange): Promise<DeleteOptions> {
  const bytes = await readBytes(exchange.request)
  if (bytes.length === 0) return fromQuery(exchange.query)
  const type = mediaType(exchange.request)
  if (!isObjectType(type)) throw unsupportedMediaType(MEDIA_TYPES)
  let body
  try {
    body = parseAs(type, bytes)
  } catch (error) {
    if (error instanceof ApiError) throw error
    throw badRequest(`couldn't get version/kind; ${error instanceof Error ? error.message : String(error)}`)
  }
  if (!isObject(body)) throw badRequest('DeleteOptions must be an object')
  const { preconditions, dryRun } = body
  const { uid, resourceVersion } = isObject(preconditions) ? preconditions : {}
  return {
    propagation: propagationOf(body['propagationPolicy'], body['orphanDependents']),
    gracePeriodSeconds: checkGrace(body['gracePeriodSeconds']),
    preconditions: {
      ...(typeof uid === 'string' ? { uid } : {}),
      ...(typeof resourceVersion === 'string' ? { resourceVersion } : {}),
    },
    // The query is read only if there is no body.
    dryRun: isDryRun(Array.isArray(dryRun) ? dryRun.map(String) : [], 'DeleteOptions'),
  }
}

function warnOfOrphans({ warnings }: Exchange, kind: Kind, { propagation }: DeleteOptions): void {
  if (kind.rules.orphansByDefault && propagation === undefined) warnings.push(ORPHANED)
}

/** DELETE of one object. Returns the object if it is only marked (and for some kinds always), else a Status. */
export async function removeObject(store: Store, exchange: Exchange, kind: Kind, now: Date): Promise<WriteResponse> {
  const options = await deleteOptions(exchange)
  if (options.dryRun === true) exchange.audited.dryRun = true
  warnOfOrphans(exchange, kind, options)
  const { name } = exchange.info
  if (kind.storeId === '/namespaces' && KEPT_NAMESPACES.has(name))
    throw forbidden(kind, name, 'this namespace may not be deleted')
  const stored = store.find(kind.storeId, keyOf(exchange, kind))
  if (!stored) throw notFound(kind, name)
  const done = deleteObject(store, kind, stored, { options, now })
  await done.durable
  if (!done.removed || kind.rules.returnsDeleted)
    return { code: 200, body: present(exchange, kind, withBody(done.stored), now) }
  const details = {
    name,
    ...(kind.group ? { group: kind.group } : {}),
    kind: kind.resource,
    uid: stored.object.metadata.uid,
  }
  return { code: 200, body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details } }
}

/** Serialises the object of a dry run. */
function withBody(stored: StoredVersion): StoredVersion {
  if (stored.body !== '') return stored
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = stored.object
  return { ...stored, body: JSON.stringify(rest).slice(1) }
}

/** DELETE of all objects that match the selectors. Returns the list of them. */
export async function removeCollection(
  store: Store,
  exchange: Exchange,
  kind: Kind,
  now: Date,
): Promise<WriteResponse> {
  const options = await deleteOptions(exchange)
  if (options.dryRun === true) exchange.audited.dryRun = true
  warnOfOrphans(exchange, kind, options)
  const { matches } = listOptions(exchange.query, kind, false)
  const all = store.range(kind.storeId, kind.namespaced ? exchange.info.namespace : '')
  const chosen = all.filter((stored) => !matches || matches(toVersion(stored.object, kind)))
  const done = chosen.map((stored) => deleteObject(store, kind, stored, { options, now }))
  await Promise.all(done.map((deletion) => deletion.durable))
  const metadata = { ...(kind.custom ? { continue: '' } : {}), resourceVersion: String(store.revision) }
  const items = chosen.map((stored) =>
    kind.custom ? stored.object : { ...stored.object, kind: undefined, apiVersion: undefined },
  )
  return { code: 200, body: { kind: `${kind.kind}List`, apiVersion: kind.apiVersion, metadata, items } }
}
