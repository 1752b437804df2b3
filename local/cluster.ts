import { fileURLToPath } from 'node:url'
import type { Role } from '#core/config/profile.ts'
import type { ClusterLocation } from '#core/cluster/cluster-config.ts'
import type { KubeClient } from '#core/kube/client.ts'
import { createKubeClient } from '#core/kube/create-client.ts'
import { createPool } from '#core/kube/connection-pool.ts'
import { toCrd } from '#schemas/crd.ts'
import { SYSTEM_NAMESPACE } from '#schemas/group.ts'
import { kinds } from '#schemas/kinds.ts'
import type { PodLogReader } from './apiserver/http/pod-log.ts'
import type { Log } from './apiserver/log.ts'
import { type ApiServer, startApiServer } from './apiserver/server.ts'
import { bootstrap } from './bootstrap.ts'
import { type DataFolder, loadTokens, writePrivate } from './data-folder.ts'
import { toKubeconfig } from './kubeconfig.ts'
import { type Persona, personas, userOf } from './personas.ts'

/** Folders with what an installation ships. */
export const shipped = {
  rbac: fileURLToPath(new URL('../deploy/rbac/', import.meta.url)),
  demo: fileURLToPath(new URL('./demo/', import.meta.url)),
} as const

/** The cluster of the embedded default, with everything an installation has before anybody uses it. */
export interface LocalCluster {
  readonly server: ApiServer
  readonly tokens: Readonly<Record<Persona, string>>
  /** As cluster-admin: bootstrap, demo and the workload runner. Never given to a role. */
  readonly admin: KubeClient
  /** What the roles get: each its own service account, the BFF none (K1), nor the worker, which asks the workloads beside it. */
  readonly location: ClusterLocation
  close(): Promise<void>
}

/** What it is started with. */
export interface LocalClusterOptions {
  readonly folder: DataFolder
  readonly readPodLog: PodLogReader
  readonly auditFile?: string | undefined
  readonly onAuditEvent?: (event: object) => void
  readonly log: Log
}

const withIdentity: ReadonlySet<Role> = new Set(['manager', 'gateway', 'state'])
const tokenSeconds = 3600

/** Starts the embedded API server, applies what an installation ships, and writes the kubeconfig. */
export async function startLocalCluster(options: LocalClusterOptions): Promise<LocalCluster> {
  const { folder, readPodLog, auditFile, onAuditEvent, log } = options
  const tokens = loadTokens(folder.tokens, personas)
  const server = await startApiServer({
    dataDir: folder.apiserver,
    crds: kinds.map(toCrd),
    tokens: personas.map((persona) => ({ token: tokens[persona], ...userOf(persona) })),
    readPodLog,
    log,
    ...(auditFile === undefined ? {} : { auditFile }),
    ...(onAuditEvent === undefined ? {} : { onAuditEvent }),
  })
  const pool = createPool(server.url, {}, { calls: server.calls })
  try {
    const admin = createKubeClient({ server: server.url, pool, bearer: tokens.admin, userAgent: 'mesh-local' })
    await bootstrap(admin, shipped)
    const access = { url: server.tlsUrl, certificateAuthority: server.certificateAuthority }
    writePrivate(folder.kubeconfig, toKubeconfig(access, tokens))
    const close = async (): Promise<void> => {
      await pool.close()
      await server.close()
    }
    return { server, tokens, admin, location: locate(server), close }
  } catch (error) {
    await server.close()
    throw error
  }
}

function locate(server: ApiServer): ClusterLocation {
  // Issued for each call in process memory: no file, no expiry to watch, and gone with the service account.
  const bearer = (role: Role) => async () =>
    server.issueToken({ namespace: SYSTEM_NAMESPACE, name: `mesh-${role}` }, undefined, tokenSeconds)
  return {
    server: server.url,
    tls: {},
    calls: server.calls,
    bearerOf: (role) => (withIdentity.has(role) ? bearer(role) : undefined),
  }
}
