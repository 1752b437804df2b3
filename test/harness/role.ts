import type { TestContext } from 'node:test'
import { createCallers } from '#core/cluster/callers.ts'
import { createOwnIdentity } from '#core/cluster/token-review.ts'
import { createRoleApp } from '#core/host/role/role-server.ts'
import type { KubeClient } from '#core/kube/client.ts'
import { createPool } from '#core/kube/connection-pool.ts'
import { createKubeClient } from '#core/kube/create-client.ts'
import { createLogger } from '#core/log/create-logger.ts'
import type { Core } from '#core/plugin/core-services.ts'
import { memoryKeyring } from '#core/signing/testing/key-types.ts'
import { createMetrics } from '#core/telemetry/prom-metrics.ts'
import { applyShipped } from './deploy.ts'
import { sharedKube } from './kube.ts'
import { tokenOf } from './service-accounts.ts'

type RoleOptions = Parameters<typeof createRoleApp>[0]

/** A kube-apiserver with the account of the state role, and clients of it. */
export async function startStateCluster(t: TestContext) {
  const kube = await sharedKube(t)
  const pool = createPool(kube.url, { ca: kube.ca })
  const connect = (bearer: string): KubeClient => createKubeClient({ server: kube.url, pool, bearer })
  const admin = connect(kube.tokens['admin'] ?? '')
  await applyShipped(kube, 'namespace', 'service-accounts', 'state')
  const ownToken = await tokenOf(admin, 'mesh-system', 'mesh-state')
  const account = connect(ownToken)
  // Hooks run in the order of their registration: what is built on the cluster is closed before.
  const close = (): Promise<void> => pool.close()
  return {
    kube,
    admin,
    account,
    ownToken,
    callers: createCallers({ server: kube.url, pool }),
    identity: createOwnIdentity({ cluster: account }),
    close,
  }
}

/** What every role has of the core; `more` is what the plugin under test needs besides. */
export function createTestCore<More extends Partial<Core>>(t: TestContext, more: More): Core & More {
  const own = {
    install: 'test',
    profile: 'open',
    version: '0.0.0',
    log: createLogger({ level: 'warn', destination: { write: (line: string) => t.diagnostic(line.trim()) } }),
    metrics: createMetrics(),
    keys: memoryKeyring(),
    now: () => new Date(),
    extensions: () => [],
    contributed: () => [],
    ...more,
  }
  return own as unknown as Core & More
}

// No test reaches them by accident; those of limits set their own.
const limits = {
  perCallerPerMinute: 1_000_000,
  perAddressPerMinute: 1_000_000,
  rejectedPerAddressPerMinute: 1_000_000,
  underWay: 2_000,
  streams: 100,
  streamsPerUser: 100,
}

/** Serves plugins as a role on loopback, and checks their responses. Ends with the test; `close` is called then. */
export async function serveRole(
  t: TestContext,
  {
    close,
    ...role
  }: Pick<RoleOptions, 'role' | 'core' | 'platform' | 'built' | 'stores' | 'tracer'> & {
    readonly close: () => Promise<void>
  },
): Promise<string> {
  const { app } = await createRoleApp({ ...role, settings: { limits }, thirdParty: new Set(), checkResponses: true })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  t.after(async () => {
    app.server.closeAllConnections()
    await app.close()
    await close()
  })
  return url
}
