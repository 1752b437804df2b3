import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { KubeClient } from '#core/kube/client.ts'
import { startOnCluster } from '#test/flows/platform/on-cluster.ts'
import { startNats } from '#test/harness/nats.ts'
import { startPostgres } from '#test/harness/postgres.ts'
import type { Scope } from '#test/harness/scope.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { childrenOf, commandOf, cpuOf, ownCpuOf } from '../tools/process-figures.ts'
import { limits, outbound, startObserved } from './platform-process.ts'
import { observedSettings, observeStore } from './store-observer.ts'
import type { StatementCounts } from '#test/harness/statement-count.ts'

/** A running platform with meters. */
export interface MeasuredPlatform {
  readonly url: string
  readonly gatewayUrl: string
  readonly tokens: Readonly<Record<string, string>>
  /** Client of the API server as cluster-admin; floors and peers have none. */
  readonly admin?: KubeClient
  /** CPU time in microseconds by kind of process: the platform, its agents' launchers, the servers. */
  cpu(): Readonly<Record<string, number>>
  statements(): Promise<StatementCounts>
  /** Undefined on PGlite. */
  walBytes(): Promise<number | undefined>
  /** Undefined on PGlite. */
  readonly store?: { readonly url: string; readonly adminUrl: string }
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
  return {
    ...platform,
    ...(await observeStore(t, postgres.adminUrl, 'mesh')),
    store: postgres,
    cpu: () => ({ ...platformCpu(platform.pid), ...serversCpu(servers) }),
  }
}

/** Starts a process per role on kube-apiserver, PostgreSQL and NATS. `platform` is the sum of the roles. */
export async function startRoles(t: Scope): Promise<MeasuredPlatform> {
  const before = new Set(childrenOf(process.pid))
  const config = join(folderOf(t), 'mesh.yaml')
  writeFileSync(config, JSON.stringify({ agents: { isolation: 'none' }, limits }))
  const postgres = { fsync: true, settings: observedSettings }
  const platform = await startOnCluster(t, { env: { ...outbound, MESH_CONFIG: config }, postgres })
  const servers = childrenOf(process.pid).filter((pid) => !before.has(pid))
  const { url, adminUrl } = platform.servers?.postgres ?? { url: '', adminUrl: '' }
  return {
    ...platform,
    ...(await observeStore(t, adminUrl, 'mesh')),
    store: { url, adminUrl },
    cpu: () => {
      const roles = Object.entries(platform.processes).map(([role, one]) => [role, ownCpuOf(one.pid)] as const)
      const sum = roles.reduce((total, [, micros]) => total + micros, 0)
      const launchers = childrenOf(process.pid).filter((pid) => commandOf(pid).includes('launcher/main.ts'))
      const agents = launchers.reduce((total, pid) => total + cpuOf(pid), 0)
      return { platform: sum, ...Object.fromEntries(roles), agents, ...serversCpu(servers) }
    },
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
