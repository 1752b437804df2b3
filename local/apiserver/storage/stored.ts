import type { KubeObject } from '../json/kube-object.ts'

/** One version of one object; immutable, because readers and watchers share it. */
export interface StoredVersion {
  readonly id: string
  readonly key: string
  readonly rv: number
  readonly object: KubeObject
  /** JSON of the object without `kind` and `apiVersion`, serialised once for lists, watches and the journal. */
  readonly body: string
}

/** One step of the history; `stored` of a deletion is the last state at the deletion's version. */
export interface Change {
  readonly rv: number
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly stored: StoredVersion
  readonly previous: StoredVersion | undefined
}

/** A write that is visible in memory. The response must wait until `durable` resolves; `JournalFailure` means that it was undone. */
export interface Written {
  stored: StoredVersion
  durable: Promise<void>
}

/** Key of an object within its resource; sorts as in etcd. */
export const objectKey = (namespace: string, name: string): string => (namespace ? `${namespace}/${name}` : name)

/** The index of the first object whose key is not below `key`. */
export function lowerBound(sorted: readonly StoredVersion[], key: string): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle]?.key ?? '') < key) low = middle + 1
    else high = middle
  }
  return low
}

export function within(sorted: readonly StoredVersion[], namespace: string): readonly StoredVersion[] {
  // '0' follows '/' in ASCII: the range [ns/, ns0) is exactly the namespace.
  return namespace ? sorted.slice(lowerBound(sorted, `${namespace}/`), lowerBound(sorted, `${namespace}0`)) : sorted
}

export function toBody(object: KubeObject): string {
  return JSON.stringify({ ...object, kind: undefined, apiVersion: undefined }).slice(1)
}

/** JSON of an object with the given apiVersion. */
export function toJson(stored: StoredVersion, apiVersion = stored.object.apiVersion): string {
  return `{"kind":"${stored.object.kind}","apiVersion":"${apiVersion}",${stored.body}`
}

export function putRecord(stored: StoredVersion): string {
  return `{"rv":${stored.rv},"id":${JSON.stringify(stored.id)},"key":${JSON.stringify(stored.key)},"object":${toJson(stored)}}`
}
