import type { DnsLabel } from '#core/kube/names.ts'
import type { Access, Caller } from './access.ts'

/** The namespaces that the manager has observed, or those that are served where they are chosen, by name; only names that pass a review are ever shown. */
export interface Directory {
  /** Whether this installation serves some namespaces only: then a list of the whole cluster is a walk of this directory. */
  readonly limited?: boolean
  /** Names after a name, in order. */
  namesAfter(after: string, limit: number): Promise<readonly DnsLabel[]>
  /** Walks the namespaces in name order, reviewing each as the caller (16 at once), until `page` says it is full. */
  permitted<V extends string, R extends string>(
    caller: Caller,
    verb: V,
    resource: R,
    after: string,
    page: (access: Access<V, R>) => Promise<'more' | 'full'>,
  ): Promise<{ readonly lastName: string | undefined }>
}

/** An object as the manager last saw it. */
export interface ObservedObject {
  readonly uid: string
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly resourceVersion: string
}

/** Reads of the table `observed`: from names to uids without any privileged read of the cluster. */
export interface Observed {
  /** The live object of that name; waits at most `waitMs` for one that was created a moment ago. */
  find(kind: string, namespace: string, name: string, waitMs?: number): Promise<ObservedObject | undefined>
  /** The uid of a namespace, or undefined. */
  namespaceUid(namespace: string, waitMs?: number): Promise<string | undefined>
}
