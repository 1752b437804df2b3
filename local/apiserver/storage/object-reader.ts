import type { KubeObject } from '../json/kube-object.ts'

/** Reads of current objects; they are shared and must not be changed. */
export interface ObjectReader {
  get(group: string, resource: string, namespace: string, name: string): KubeObject | undefined
  /** An empty namespace lists all namespaces. */
  list(group: string, resource: string, namespace: string): readonly KubeObject[]
  /** Changes with every write to the resource: a cheap key for derived caches. */
  version(group: string, resource: string): number
}
