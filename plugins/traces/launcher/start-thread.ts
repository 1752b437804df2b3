import { Worker } from 'node:worker_threads'
import { exponentialMs } from '#core/async/backoff.ts'
import { threadEntry } from '#launcher/contract/thread.ts'
import type { ThreadData } from '#launcher/contract/thread.ts'
import type { Logger } from '#core/log/logger.ts'
import type { ThreadCounts, ThreadOrder, ThreadReport, ThreadSettings } from './thread-settings.ts'

/** A running collector. */
export interface CollectorThread {
  drain(): void
  /** Closes the ports and sends what is queued. */
  close(): Promise<void>
}

const resourceLimits = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 16 }
const restart = { minMs: 1_000, maxMs: 60_000 }

/** Receiver of a thread's reports. */
export interface ThreadObserver {
  readonly log: Logger
  readonly onCounts: (counts: ThreadCounts) => void
}

/** Starts the collector in a thread, and restarts it when it ends. Rejects if its ports cannot be opened at start. */
export async function startCollector(settings: ThreadSettings, observer: ThreadObserver): Promise<CollectorThread> {
  const { log } = observer
  let worker = await open(settings, observer)
  let isClosing = false
  let failures = 0
  let timer: NodeJS.Timeout | undefined
  const again = async (): Promise<void> => {
    try {
      worker = await open(settings, observer)
      watch()
    } catch (error) {
      log.error({ err: String(error) }, 'collector thread did not start')
      later()
    }
  }
  const later = (): void => {
    if (isClosing) return
    timer = setTimeout(
      () => {
        // oxlint-disable-next-line typescript/no-floating-promises -- handles its errors
        void again()
      },
      exponentialMs(failures++, restart),
    ).unref()
  }
  const watch = (): void => {
    worker.once('exit', (code) => {
      if (isClosing) return
      log.error({ code }, 'collector thread ended: its ports are closed until it starts again')
      later()
    })
  }
  watch()
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  const order = (given: ThreadOrder): void => worker.postMessage(given)
  return {
    drain: () => order('drain'),
    async close() {
      isClosing = true
      clearTimeout(timer)
      const closed = new Promise<void>((resolve) => {
        worker.on('message', ({ type }: ThreadReport) => type === 'closed' && resolve())
        worker.once('exit', () => resolve())
      })
      order('close')
      // An ended thread sends no message; its `threadId` is -1.
      if (worker.threadId !== -1) await closed
      await worker.terminate()
    },
  }
}

async function open(settings: ThreadSettings, { log, onCounts }: ThreadObserver): Promise<Worker> {
  const workerData: ThreadData = { plugin: 'traces', settings }
  const worker = new Worker(threadEntry, { name: 'collector', workerData, resourceLimits })
  worker.on('error', (error) => log.error({ err: String(error) }, 'collector thread failed'))
  const { promise, resolve, reject } = Promise.withResolvers<undefined>()
  worker.once('exit', (code) => reject(new Error(`the collector thread ended with ${code}`)))
  worker.on('message', (report: ThreadReport) => {
    if (report.type === 'counts') {
      onCounts(report)
      return
    }
    if (report.type === 'open')
      for (const [listener, port] of Object.entries(report.ports)) log.info({ listener, port }, 'listening')
    if (report.type === 'failed')
      reject(Object.assign(new Error(report.message), { code: report.code, port: report.port }))
    else resolve(undefined)
  })
  try {
    await promise
    return worker
  } catch (error) {
    await worker.terminate()
    throw error
  }
}
