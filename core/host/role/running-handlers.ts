import type { Reconciler } from '#core/controllers/watch/declarations.ts'
import type { Job } from '#core/jobs/background-work.ts'
import type { Consumer } from '#core/messaging/consumer/consumer.ts'
import { ofOwner } from '../load/plugin-title.ts'

/** Running handlers of plugins, so that one that does not stop can be named. */
export interface RunningHandlers {
  /** Names of those running now: `job runs.prune`, `consumer audit.rows`; of a third party with its plugin. */
  names(): readonly string[]
  job(job: Job): Job
  consumer(consumer: Consumer): Consumer
  reconciler(reconciler: Reconciler): Reconciler
}

/** Creates the record of one role. Tasks are not recorded: their queue abandons and names a handler that ignores its signal. */
export function createRunningHandlers(): RunningHandlers {
  const running = new Map<symbol, string>()
  const track = async <T>(name: string, run: () => Promise<T>): Promise<T> => {
    const key = Symbol(name)
    running.set(key, name)
    try {
      return await run()
    } finally {
      running.delete(key)
    }
  }
  return {
    names: () => [...new Set(running.values())],
    job: (job) => ({ ...job, run: (term) => track(`job ${job.name}${ofOwner(job)}`, () => job.run(term)) }),
    consumer: (consumer) => ({
      ...consumer,
      handle: (events, context) =>
        track(`consumer ${consumer.name}${ofOwner(consumer)}`, () => consumer.handle(events, context)),
    }),
    reconciler: (reconciler) => ({
      ...reconciler,
      reconcile: (ref, object) =>
        track(`reconciler ${reconciler.name}${ofOwner(reconciler)}`, () => reconciler.reconcile(ref, object)),
    }),
  }
}
