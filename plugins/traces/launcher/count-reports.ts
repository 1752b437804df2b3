import type { RefusalCode } from '#launcher/contract/http/refusal.ts'
import type { RefusedExports, ThreadCounts } from './thread-settings.ts'

/** Counts of the thread on their way to the metrics of the launcher. */
export interface CountReports {
  refused(listener: string, code: RefusalCode): void
  dropped(spans: number): void
  /** Reports the current counts. */
  flush(): void
}

/** Gathers counts, so that a flood of refusals is one message a second. */
export function createCountReports(report: (counts: ThreadCounts) => void, everyMs = 1_000): CountReports {
  const refusals = new Map<string, RefusedExports>()
  let droppedSpans = 0
  let timer: NodeJS.Timeout | undefined
  const flush = (): void => {
    clearTimeout(timer)
    timer = undefined
    if (refusals.size === 0 && droppedSpans === 0) return
    report({ refusals: [...refusals.values()], droppedSpans })
    refusals.clear()
    droppedSpans = 0
  }
  const later = (): void => {
    timer ??= setTimeout(flush, everyMs).unref()
  }
  return {
    refused(listener, code) {
      const key = `${listener} ${code}`
      refusals.set(key, { listener, code, count: (refusals.get(key)?.count ?? 0) + 1 })
      later()
    },
    dropped(spans) {
      droppedSpans += spans
      later()
    },
    flush,
  }
}
