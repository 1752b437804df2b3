import type { KubeObject } from '../json/kube-object.ts'

/** Reads of current objects for the semantic half; objects are shared and must not be changed. */
export interface ObjectReader {
  get(group: string, resource: string, namespace: string, name: string): KubeObject | undefined
  /** An empty namespace lists all of them. */
  list(group: string, resource: string, namespace: string): readonly KubeObject[]
  /** Changes whenever an object of that resource does: a cheap key for derived caches. */
  version(group: string, resource: string): number
}
