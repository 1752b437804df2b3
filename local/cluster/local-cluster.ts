import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startApiServer } from '@mesh.dev/embedded-apiserver'
import type { ApiServer, Log, PodLogReader } from '@mesh.dev/embedded-apiserver'
import type { Role } from '#core/config/profile.ts'
import type { ClusterLocation } from '#core/cluster/cluster-config.ts'
import type { KubeClient } from '#core/kube/client.ts'
import { createKubeClient } from '#core/kube/create-client.ts'
import { createPool } from '#core/kube/connection-pool.ts'
import { toCrd } from '#schemas/kinds/crd.ts'
import { SYSTEM_NAMESPACE } from '#schemas/names/group.ts'
import { bootstrap } from './bootstrap.ts'
import { loadTokens, writePrivate } from '../data-folder/data-folder.ts'
import type { DataFolder } from '../data-folder/data-folder.ts'
import { installKinds } from './install-kinds.ts'
import { toKubeconfig } from '../data-folder/kubeconfig.ts'
import { personas, userOf } from '../data-folder/personas.ts'
import type { Persona } from '../data-folder/personas.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'
import { kindsOf } from '#core/plugin/access-of-plugins.ts'

/** Folders with the shipped manifests. */
export const shipped = {
  rbac: fileURLToPath(new URL('../../deploy/rbac/', import.meta.url)),
  demo: fileURLToPath(new URL('../demo/', import.meta.url)),
} as const

/** The cluster of the embedded default, with the objects of an installation. */
export interface LocalCluster {
  readonly server: ApiServer
  readonly tokens: Readonly<Record<Persona, string>>
  /** As cluster-admin: bootstrap, demo and the workload runner. Never given to a role. */
  readonly admin: KubeClient
  /** Location and credentials of the roles: a service account each; none for the BFF (K1) and the worker, which uses the local workloads. */
  readonly location: ClusterLocation
  /** Applies the objects that an installation with these plugins needs: CRDs of third parties, accounts, roles, bindings, mock routes. */
  install(plugins: readonly AnyPlugin[]): Promise<void>
  close(): Promise<void>
}

/** Options of `startCluster`. */
export interface LocalClusterOptions {
  readonly folder: DataFolder
  /** Address of the API, for the kubeconfig. */
  readonly apiUrl: string
  readonly readPodLog: PodLogReader
  readonly auditFile?: string | undefined
  readonly onAuditEvent?: (event: object) => void
  readonly log: Log
  /** Plugins of the platform, whose CRDs the server has from startup. */
  readonly plugins: readonly AnyPlugin[]
}

const withIdentity: ReadonlySet<Role> = new Set(['manager', 'gateway', 'state', 'worker'])
const tokenSeconds = 3600

/** Starts the embedded API server and writes the kubeconfig. */
export async function startLocalCluster(options: LocalClusterOptions): Promise<LocalCluster> {
  const { folder, apiUrl, readPodLog, auditFile, onAuditEvent, log, plugins } = options
  const tokens = loadTokens(folder.tokens, personas)
  const server = await startApiServer({
    dataDir: folder.apiserver,
    crds: kindsOf(plugins).map(toCrd),
    tokens: personas.map((persona) => ({ token: tokens[persona], ...userOf(persona) })),
    readPodLog,
    log,
    ...(auditFile === undefined ? {} : { auditFile }),
    ...(onAuditEvent === undefined ? {} : { onAuditEvent }),
  })
  const pool = createPool(server.url, {}, { calls: server.calls })
  try {
    const admin = createKubeClient({ server: server.url, pool, bearer: tokens.admin, userAgent: 'mesh-local' })
    const access = { url: server.tlsUrl, certificateAuthority: server.certificateAuthority, apiUrl }
    // Same as in the README's requests.
    writePrivate(folder.kubeconfig, toKubeconfig(access, tokens, 'developer'))
    for (const name of personas) writePrivate(join(folder.kubeconfigs, name), toKubeconfig(access, tokens, name))
    const close = async (): Promise<void> => {
      await pool.close()
      await server.close()
    }
    const known = new Set(kindsOf(plugins))
    const install = async (all: readonly AnyPlugin[]): Promise<void> => {
      // The server knows the kinds of built-in plugins.
      await installKinds(
        admin,
        all.filter(({ kinds = [] }) => kinds.some(({ kind }) => !known.has(kind))),
      )
      await bootstrap(admin, { ...shipped, plugins: all })
    }
    return { server, tokens, admin, location: locate(server), install, close }
  } catch (error) {
    await server.close()
    throw error
  }
}

function locate(server: ApiServer): ClusterLocation {
  // Kept in memory only, and renewed by the source; deleting the service account revokes it.
  const bearer = (role: Role) => server.tokenSource({ namespace: SYSTEM_NAMESPACE, name: `mesh-${role}` }, tokenSeconds)
  return {
    server: server.url,
    tls: {},
    calls: server.calls,
    bearerOf: (role) => (withIdentity.has(role) ? bearer(role) : undefined),
  }
}
