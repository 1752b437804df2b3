import type { KubeClient, KubeObject } from '#core/kube/client.ts'
import { isNewer } from '#core/kube/list-request.ts'

/** The resource version of the last status that this process wrote, by uid. */
export type StatusWrites = Map<string, string>

const writesOfClients = new WeakMap<object, StatusWrites>()

/** The status writes of a client. Reconcilers share them with the controller that runs them. */
export function statusWritesOf(cluster: Pick<KubeClient, 'patch'>): StatusWrites {
  const known = writesOfClients.get(cluster) ?? new Map<string, string>()
  writesOfClients.set(cluster, known)
  return known
}

/** Gives a client the status writes of another one, which it wraps. */
export function shareStatusWrites(cluster: Pick<KubeClient, 'patch'>, wrapper: Pick<KubeClient, 'patch'>): void {
  writesOfClients.set(wrapper, statusWritesOf(cluster))
}

/** Finds statuses that another process wrote, such as a manager that is being replaced and has other plugins or settings. */
export interface ForeignStatus {
  /** Called when the status of an object has changed, and nothing else on which its reconciler depends. */
  saw(key: string, object: KubeObject): void
  forget(key: string, object: KubeObject): void
  stop(): void
}

/** Longer than a status write takes, yet short. Two managers that disagree correct each other at this interval. */
const SETTLE_MS = 5_000

/** Options; `changed` receives the key of an object whose status must be written again. */
export interface ForeignStatusOptions {
  readonly writes: StatusWrites
  readonly changed: (key: string) => void
  readonly settleMs?: number
}

/** Creates the finder. A status is judged after a while, since its event may precede the response to this process's write. */
export function createForeignStatus({ writes, changed, settleMs = SETTLE_MS }: ForeignStatusOptions): ForeignStatus {
  const timers = new Map<string, NodeJS.Timeout>()
  const cancel = (key: string): void => {
    clearTimeout(timers.get(key))
    timers.delete(key)
  }
  return {
    saw: (key, { metadata: { uid = '', resourceVersion = '' } }) => {
      cancel(key)
      const judge = (): void => {
        timers.delete(key)
        const own = writes.get(uid)
        if (own === undefined || isNewer(resourceVersion, own)) changed(key)
      }
      timers.set(key, setTimeout(judge, settleMs * (0.5 + Math.random() / 2)).unref())
    },
    forget: (key, { metadata: { uid = '' } }) => {
      cancel(key)
      writes.delete(uid)
    },
    stop: () => {
      for (const key of timers.keys()) cancel(key)
    },
  }
}
