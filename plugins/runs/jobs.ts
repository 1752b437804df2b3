import type { JobContext } from '#core/plugin/role-contexts.ts'
import type { Job } from '#core/jobs/background-work.ts'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import type { RunsServices } from './services/create-services.ts'
import { runMetrics } from './contract/metrics.ts'
import { createRunRetention } from './retention/run-retention.ts'
import { readQueue } from './store/queue.ts'
import { readStoredBytes } from './store/internal/usage.ts'
import type { RunsTables } from './contract/tables.ts'
import { runLoop } from './worker/claim-loop.ts'
import { createWorkerServices } from './worker/create-worker-services.ts'

const queueReadMs = 10_000

/** The worker's loop. Every replica runs it; leases divide the work. */
export function runsJobs(services: RunsServices, context: JobContext): readonly Job[] {
  if (context.role !== 'worker') return []
  const { settings } = services
  return [
    queueMetricsJob(services),
    createRunRetention({ ...services, retentionDays: settings.retentionDays, removed: services.removed('retention') }),
    {
      name: 'runs.worker',
      leaderOnly: false,
      async run(term) {
        const workerServices = createWorkerServices(services, context, settings)
        try {
          const { workerConcurrency: concurrency, namespaceShare } = settings
          await runLoop(workerServices, { holder: uuidV7(), concurrency, namespaceShare }, term.signal)
        } finally {
          await workerServices.close()
        }
      },
    },
  ]
}

function queueMetricsJob({ core, store }: Pick<RunsServices, 'core' | 'store'>): Job {
  const depth = core.metrics.gauge(runMetrics.queueDepth)
  const oldest = core.metrics.gauge(runMetrics.queueOldest)
  const held = core.metrics.gauge(runMetrics.held)
  const stored = core.metrics.gauge(runMetrics.storedBytes)
  return {
    name: 'runs.queue-metrics',
    leaderOnly: false,
    every: queueReadMs,
    async run() {
      const queue = await readQueue(store.reader<RunsTables>())
      depth.set(queue.waiting)
      oldest.set(queue.oldestSeconds)
      held.set(queue.held)
      stored.set(await readStoredBytes(store.reader<RunsTables>()))
    },
  }
}
