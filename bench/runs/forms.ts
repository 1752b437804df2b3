import { startNats } from '#test/harness/nats.ts'
import { startPostgres } from '#test/harness/postgres.ts'
import type { Scope } from '#test/harness/scope.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { childrenOf, commandOf, cpuOf, ownCpuOf } from '../tools/process-figures.ts'
import { startObserved } from './platform-process.ts'
import { observedSettings, observeStore } from './store-observer.ts'
import type { StatementCounts } from '#test/harness/statement-count.ts'

/** A running platform with meters. */
export interface MeasuredPlatform {
  readonly url: string
  readonly gatewayUrl: string
  readonly tokens: Readonly<Record<string, string>>
  /** CPU time in microseconds by kind of process: the platform, its agents' launchers, the servers. */
  cpu(): Readonly<Record<string, number>>
  statements(): Promise<StatementCounts>
  /** Undefined on PGlite. */
  walBytes(): Promise<number | undefined>
}

/** Starts the platform in one process on PGlite. */
export async function startOnPglite(t: Scope): Promise<MeasuredPlatform> {
  const platform = await startObserved(t, folderOf(t))
  return {
    ...platform,
    cpu: () => platformCpu(platform.pid),
    statements: async () => (await platform.observe()).statements,
    walBytes: async () => undefined,
  }
}

/** Starts the platform in one process on PostgreSQL and NATS, both with fsync as in an installation. */
export async function startOnPostgres(t: Scope): Promise<MeasuredPlatform> {
  const before = new Set(childrenOf(process.pid))
  const [postgres, nats] = await Promise.all([
    startPostgres(t, { fsync: true, settings: observedSettings }),
    startNats(t),
  ])
  const servers = childrenOf(process.pid).filter((pid) => !before.has(pid))
  const platform = await startObserved(t, folderOf(t), { databaseUrl: postgres.url, natsUrl: nats.url })
  const store = await observeStore(t, postgres.adminUrl, 'mesh')
  return {
    ...platform,
    ...store,
    cpu: () => ({ ...platformCpu(platform.pid), ...serversCpu(servers) }),
  }
}

// The platform's own process apart from the launchers that it starts.
function platformCpu(pid: number): Record<string, number> {
  const platform = ownCpuOf(pid)
  return { platform, agents: cpuOf(pid) - platform }
}

function serversCpu(pids: readonly number[]): Record<string, number> {
  const of = (name: string): number =>
    pids.filter((pid) => commandOf(pid).includes(name)).reduce((sum, pid) => sum + cpuOf(pid), 0)
  return { PostgreSQL: of('postgres'), NATS: of('nats-server') }
}

function folderOf(t: Scope): string {
  const folder = tempFolder('bench-runs')
  t.after(folder.remove)
  return folder.path
}
