import type { WorkerContext } from '#core/host/contexts.ts'
import type { Job } from '#core/host/work.ts'
import { uuidV7 } from '#core/store/uuid-v7.ts'
import type { RunsInner } from './inner.ts'
import { runLoop } from './worker/loop.ts'
import { createDriveServices } from './worker/services.ts'

/** The worker's loop: every replica runs it, the leases divide the work. */
export function runsJobs(inner: RunsInner, worker: WorkerContext): readonly Job[] {
  const { settings } = inner
  return [
    {
      name: 'runs.worker',
      role: 'worker',
      leaderOnly: false,
      async run(term) {
        const services = createDriveServices(inner, worker, settings.unreachableAfter * 1000)
        try {
          const options = { holder: uuidV7(), concurrency: settings.workerConcurrency }
          await runLoop(services, options, term.signal)
        } finally {
          await services.close()
        }
      },
    },
  ]
}
