import { findServer } from '../../test/harness/find-server.ts'
import { startKube } from '../../test/harness/kube.ts'
import { startPostgres } from '../../test/harness/postgres.ts'
import type { Scope } from '../../test/harness/scope.ts'
import type { Needs } from './needs.ts'

/** Starts the servers that test files share, and names them in the environment. Missing servers are reported by the tests. */
export async function startSharedServers(needs: Pick<Needs, 'postgres' | 'kube'>): Promise<{ stop(): Promise<void> }> {
  const closers: (() => unknown)[] = []
  const scope: Scope = { after: (fn) => void closers.push(fn) }
  const started = await Promise.allSettled([
    needs.postgres ? sharePostgres(scope) : undefined,
    needs.kube ? shareKube(scope) : undefined,
  ])
  const stop = async (): Promise<void> => {
    for (const close of closers) await close()
  }
  const failed = started.find((one) => one.status === 'rejected')
  if (failed !== undefined) {
    await stop()
    throw failed.reason
  }
  return { stop }
}

async function sharePostgres(scope: Scope): Promise<void> {
  if (process.env.MESH_TEST_POSTGRES_URL !== undefined || findServer('initdb') === undefined) return
  // Some hundred short-lived databases in turn would each get a worker; tests that need statistics run ANALYZE.
  const server = await startPostgres(scope, { settings: { autovacuum: 'off' } })
  process.env.MESH_TEST_POSTGRES_URL = server.adminUrl
}

async function shareKube(scope: Scope): Promise<void> {
  if (process.env.MESH_TEST_KUBE !== undefined) return
  if (findServer('etcd') === undefined || findServer('kube-apiserver') === undefined) return
  const server = await startKube(scope)
  process.env.MESH_TEST_KUBE = JSON.stringify(server.facts)
}
