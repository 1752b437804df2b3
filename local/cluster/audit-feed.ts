import { sleep } from '#core/async/sleep.ts'
import type { Logger } from '#core/log/logger.ts'

/** Sends the embedded API server's audit events to the manager, like the webhook backend of kube-apiserver. */
export interface AuditFeed {
  /** Queues an event; does not wait. */
  add(event: object): void
  /** Starts sending; earlier events stay in the queue. */
  start(log: Logger): void
  /** Sends the queued events, for at most one second. */
  close(): Promise<void>
}

const batchSize = 200
// The queue reaches this only if the manager is down for long. Rows of dropped events keep the guessed actor.
const mostQueued = 10_000
const batchMs = 500
const retryMs = 500
const closingMs = 1_000

/** A feed to the listener at `url` (`http://127.0.0.1:8082/audit-events`). */
export function createAuditFeed(url: string, token: string): AuditFeed {
  const queue: object[] = []
  const stop = new AbortController()
  let log: Logger | undefined
  let dropped = 0
  let sending: Promise<void> | undefined
  const send = async (signal: AbortSignal): Promise<boolean> => {
    const items = queue.slice(0, batchSize)
    const sent = await post({ url, token, items, signal })
    if (sent) queue.splice(0, items.length)
    return sent
  }
  const drain = async (): Promise<void> => {
    await sleep(batchMs, stop.signal)
    while (queue.length > 0 && !stop.signal.aborted) if (!(await send(stop.signal))) await sleep(retryMs, stop.signal)
    sending = undefined
    if (dropped > 0) log?.warn({ dropped }, 'audit feed was full, events dropped')
    dropped = 0
  }
  const wake = (): void => {
    if (log !== undefined && !stop.signal.aborted) sending ??= drain()
  }
  return {
    add: (event) => {
      if (queue.length >= mostQueued) dropped++
      else queue.push(event)
      wake()
    },
    start: (given) => {
      log = given
      wake()
    },
    close: async () => {
      stop.abort()
      await sending
      const deadline = AbortSignal.timeout(closingMs)
      if (log === undefined) return
      while (queue.length > 0 && (await send(deadline)));
    },
  }
}

interface Batch {
  readonly url: string
  readonly token: string
  readonly items: readonly object[]
  readonly signal: AbortSignal
}

async function post({ url, token, items, signal }: Batch): Promise<boolean> {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ kind: 'EventList', apiVersion: 'audit.k8s.io/v1', items }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(10_000)]),
    })
    await answer.body?.cancel()
    return answer.ok
  } catch {
    return false
  }
}
