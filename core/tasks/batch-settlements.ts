import { backoffMs } from '#core/async/backoff.ts'
import { sleep } from '#core/async/sleep.ts'
import type { Database } from '#core/database/database.ts'
import { describeError } from '#core/log/describe-error.ts'
import type { Logger } from '#core/log/logger.ts'
import { settleTasks } from './settle-tasks.ts'
import type { Settlement } from './settle-tasks.ts'

/** Dependencies of a settler. */
export interface SettlerOptions {
  readonly database: Pick<Database, 'root'>
  readonly log: Logger
  /** Aborts when the process stops: the task of an end that cannot be recorded then waits until its lease expires. */
  readonly halt: AbortSignal
}

/** Records ends of attempts. */
export interface Settler {
  /** Resolves when the end is recorded, with whether the attempt still held its task; false even if the process stops without a store. */
  settle(settlement: Settlement): Promise<boolean>
}

interface Waiting {
  readonly settlement: Settlement
  readonly resolve: (held: boolean) => void
}

const most = 500
const retry = { minMs: 200, maxMs: 5_000 }

/** Creates a settler. Ends that arrive while a statement is in progress share the next one. */
export function createSettler({ database, log, halt }: SettlerOptions): Settler {
  const waiting: Waiting[] = []
  let running = false
  const record = async (batch: readonly Waiting[]): Promise<ReadonlySet<string>> => {
    const settlements = batch.map(({ settlement }) => settlement)
    for (let failures = 0; ; failures++) {
      try {
        return await settleTasks(database.root, settlements)
      } catch (error) {
        log.warn({ tasks: batch.length, ...describeError(error) }, 'recording ends of tasks failed, retrying')
        if (halt.aborted) return new Set()
        await sleep(backoffMs(failures, retry), halt)
      }
    }
  }
  const drain = async (): Promise<void> => {
    if (running) return
    running = true
    while (waiting.length > 0) {
      const batch = waiting.splice(0, most)
      const held = await record(batch)
      for (const { settlement, resolve } of batch) resolve(held.has(settlement.id))
    }
    running = false
  }
  return {
    settle: (settlement) =>
      new Promise((resolve) => {
        waiting.push({ settlement, resolve })
        // oxlint-disable-next-line typescript/no-floating-promises -- handles its errors
        void drain()
      }),
  }
}
