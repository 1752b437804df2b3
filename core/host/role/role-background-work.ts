import { missedDeletionsJob } from '#core/controllers/missed-deletions.ts'
import type { Job, RunningBackgroundWork } from '#core/jobs/background-work.ts'
import { allConsumers, informersOfPlugins, reconcilersOfPlugins } from './declare-work.ts'
import type { DeclaredWork, WorkingRole } from './declare-work.ts'
import type { RoleCradle } from './role-cradle.ts'
import { runJobs } from '../jobs/job-runner.ts'

type Add = (running: RunningBackgroundWork) => void

const nothing: DeclaredWork = { jobs: [], tasks: [] }

/**
 * Starts consumers and jobs of the role, and informers and reconcilers of the manager, each once its dependencies are available. Passes
 * running work to `add`; resolves when all runs.
 */
export async function startRoleWork(role: WorkingRole, cradle: RoleCradle, add: Add): Promise<void> {
  const { platform, handlers, declared = nothing } = cradle
  const { signal } = cradle.stop
  if (role === 'state') return startStateWork(cradle, add)
  const consumers = allConsumers(cradle)
  const manager = role === 'manager' ? managerWork(cradle) : undefined
  const ofCore = manager === undefined ? platform.workerJobs : manager.jobs
  manager?.startReconcilers(add)
  await platform.available.store(signal)
  manager?.startInformers(add)
  // The log is the outbox, so the relay itself waits for the bus.
  if (role === 'worker' && platform.store !== undefined) add(platform.relay(consumers, signal))
  const own = consumers.filter((consumer) => consumer.role === role).map(handlers.consumer)
  const consuming = platform.store === undefined ? undefined : platform.consume(own, signal)
  if (consuming !== undefined) add(consuming)
  // The queue is in the store: tasks do not wait for the bus.
  add(platform.runTasks(declared.tasks, signal))
  await platform.available.bus(signal)
  startJobs(cradle, [...ofCore, ...declared.jobs], add)
  await consuming?.subscribe()
}

// Requests are served meanwhile; those that need the missing dependency get an error.
async function startStateWork(cradle: RoleCradle, add: Add): Promise<void> {
  const { platform, stop, declared = nothing } = cradle
  await platform.available.store(stop.signal)
  startJobs(cradle, declared.jobs, add)
  await platform.available.bus(stop.signal)
}

function startJobs({ platform, core, tracer, stop, handlers }: RoleCradle, declared: readonly Job[], add: Add): void {
  const jobs = declared.map(handlers.job)
  add(runJobs({ jobs, platform, log: core.log, metrics: core.metrics, tracer, now: core.now, signal: stop.signal }))
}

interface ManagerWork {
  readonly jobs: readonly Job[]
  startReconcilers(add: Add): void
  startInformers(add: Add): void
}

function managerWork(cradle: RoleCradle): ManagerWork {
  const { core, platform, built, handlers } = cradle
  const { signal } = cradle.stop
  const { store, identity } = platform
  if (identity === undefined) throw new Error('the role manager has no identity of its own')
  const informers = informersOfPlugins(built)
  const reconcilers = reconcilersOfPlugins(cradle).map(handlers.reconciler)
  const { cluster } = identity
  return {
    jobs: store === undefined ? [] : [missedDeletionsJob({ cluster, store, informers, log: core.log })],
    // Reconcilers are idempotent and need only the cluster, so agents are maintained while store and bus are unavailable.
    startReconcilers: (add) => add(platform.reconcile(reconcilers, signal)),
    // Informers record events and need the store.
    startInformers: (add) => (store === undefined ? undefined : add(platform.inform(informers, signal))),
  }
}
