import { expired, notFound, versionTooLarge } from '../json/api-error.ts'
import type { KubeObject } from '../json/kube-object.ts'
import { convertOut } from '../kinds/event-conversion.ts'
import type { Kind } from '../kinds/kind.ts'
import { partialMetadata, toTable } from '../kinds/table.ts'
import type { Store } from '../storage/store.ts'
import { lowerBound, objectKey, toJson } from '../storage/stored.ts'
import type { StoredVersion } from '../storage/stored.ts'
import type { Exchange } from './exchange.ts'
import { continueExpired, continueToken, listOptions, parseVersion } from './list-options.ts'
import type { ListOptions } from './list-options.ts'

/** JSON of a stored object in the requested version; the stored bytes are reused. */
export function objectJson(stored: StoredVersion, kind: Kind): string {
  const converted = convertOut(kind, stored.object)
  return converted ? JSON.stringify(converted) : toJson(stored, kind.apiVersion)
}

/** The object in the requested version (shared, not to be changed). */
export function toVersion(object: KubeObject, kind: Kind): KubeObject {
  const converted = convertOut(kind, object)
  if (converted) return converted
  return object.apiVersion === kind.apiVersion ? object : { ...object, apiVersion: kind.apiVersion }
}

/** One object, or its Table or PartialObjectMetadata if negotiated. */
export function present(exchange: Exchange, kind: Kind, stored: StoredVersion, now: Date): string | object {
  if (exchange.accept.as === 'Table')
    return toTable(kind, [toVersion(stored.object, kind)], {
      now,
      resourceVersion: String(stored.rv),
      include: exchange.query.get('includeObject'),
    })
  if (exchange.accept.as === 'PartialObjectMetadata') return partialMetadata(stored.object)
  return objectJson(stored, kind)
}

/** GET of one object. */
export function getObject(store: Store, exchange: Exchange, kind: Kind, now: Date): string | object {
  const { namespace, name } = exchange.info
  const asked = exchange.query.get('resourceVersion') ?? ''
  if (asked) atMost(store, parseVersion(asked))
  const stored = store.find(kind.storeId, objectKey(kind.namespaced ? namespace : '', name))
  if (!stored) throw notFound(kind, name)
  return present(exchange, kind, stored, now)
}

function atMost(store: Store, version: number): void {
  if (version > store.revision) throw versionTooLarge(version, store.revision)
}

interface Page {
  rv: number
  items: readonly StoredVersion[]
  /** Number of objects after the page; undefined with a selector. */
  remaining: number | undefined
  next: string
}

/** Snapshot of a list: the version and the objects in key order. */
function snapshot(
  store: Store,
  kind: Kind,
  namespace: string,
  options: ListOptions,
): { rv: number; all: readonly StoredVersion[] } {
  const latest = () => ({ rv: store.revision, all: store.range(kind.storeId, namespace) })
  if (options.from) {
    const { rv, start } = options.from
    if (rv < 0) return latest()
    const all = store.rangeAt(kind.storeId, namespace, rv)
    if (!all) throw continueExpired(start)
    return { rv, all }
  }
  if (options.resourceVersion === '') return latest()
  const rv = parseVersion(options.resourceVersion)
  atMost(store, rv)
  // A limited list at a version without a match mode means exactly that version.
  const exact = options.match === 'Exact' || (options.match === '' && options.limit > 0 && rv > 0)
  if (!exact) return latest()
  const all = store.rangeAt(kind.storeId, namespace, rv)
  if (!all) throw expired('The resourceVersion for the provided list is too old.')
  return { rv, all }
}

function page(store: Store, kind: Kind, namespace: string, options: ListOptions): Page {
  const { rv, all } = snapshot(store, kind, namespace, options)
  const items: StoredVersion[] = []
  const limit = options.named && (namespace !== '' || !kind.namespaced) ? 0 : options.limit
  // The token's start is a key with a zero byte: the first possible key after it. Earlier objects are neither visited nor copied.
  for (let index = options.from ? lowerBound(all, options.from.start) : 0; index < all.length; index += 1) {
    const stored = all[index]
    if (!stored) break
    if (limit > 0 && items.length === limit) {
      const last = items.at(-1)?.key ?? ''
      const remaining = options.matches ? undefined : all.length - index
      return { rv, items, remaining, next: continueToken(rv, `${last}\u0000`) }
    }
    if (!options.matches || options.matches(toVersion(stored.object, kind))) items.push(stored)
  }
  return { rv, items, remaining: undefined, next: '' }
}

/** GET of a collection. */
export function listObjects(store: Store, exchange: Exchange, kind: Kind, now: Date): string | object {
  const options = listOptions(exchange.query, kind, false)
  const { rv, items, remaining, next } = page(store, kind, kind.namespaced ? exchange.info.namespace : '', options)
  // Only lists of custom kinds have an empty token.
  const metadata = {
    ...(next || (kind.custom && exchange.accept.as === '') ? { continue: next } : {}),
    resourceVersion: String(rv),
    ...(remaining === undefined ? {} : { remainingItemCount: remaining }),
  }
  if (exchange.accept.as === 'Table') {
    const objects = items.map((stored) => toVersion(stored.object, kind))
    return {
      ...toTable(kind, objects, { now, resourceVersion: '', include: exchange.query.get('includeObject') }),
      metadata,
    }
  }
  if (exchange.accept.as === 'PartialObjectMetadataList') {
    const objects = items.map((stored) => partialMetadata(stored.object))
    return { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1', metadata, items: objects }
  }
  return `{"kind":"${kind.kind}List","apiVersion":"${kind.apiVersion}","metadata":${JSON.stringify(metadata)},"items":[${listItems(kind, items)}]}`
}

/** Items of a list: built-in objects without kind and apiVersion, as in kube-apiserver. */
function listItems(kind: Kind, items: readonly StoredVersion[]): string {
  if (kind.custom) return items.map((stored) => objectJson(stored, kind)).join(',')
  return items
    .map((stored) => {
      const converted = convertOut(kind, stored.object)
      return converted ? JSON.stringify({ ...converted, kind: undefined, apiVersion: undefined }) : `{${stored.body}`
    })
    .join(',')
}
