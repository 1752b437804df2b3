import { readFileSync } from 'node:fs'
import type { Dispatcher } from 'undici'
import type { ServiceEndpoints } from './endpoint-slices.ts'
import type { CoreSettings } from '#core/config/core-settings.ts'
import { fileProblem } from '#core/config/describe-file-error.ts'
import type { Role } from '#core/config/profile.ts'
import { SettingsError } from '#core/config/settings-error.ts'
import type { Bearer } from '#core/kube/request.ts'
import { bearerFromFile, inClusterAccess } from '#core/kube/in-cluster.ts'
import { loadKubeconfig } from '#core/kube/kubeconfig/load-kubeconfig.ts'
import type { TlsOptions } from '#core/kube/connection-pool.ts'

/** Connection to the API server, and the credentials of roles with their own identity. */
export interface ClusterLocation {
  readonly server: string
  readonly tls: TlsOptions
  /** Dispatcher of complete responses if the API server is in this process; else connections to `server`. */
  readonly calls?: Dispatcher
  /** Endpoints of agents that run as local processes; default: EndpointSlices of the API server. */
  readonly endpoints?: ServiceEndpoints
  /** Bearer of a role's own service account. The BFF has none (K1), the worker only if configured. */
  bearerOf(role: Role): Bearer | undefined
}

const withIdentity = new Set<Role>(['manager', 'gateway', 'state', 'worker'])

/** Determines the cluster: from settings, then a kubeconfig, then the pod's own. */
export async function locateCluster(
  settings: CoreSettings,
  env: Readonly<Record<string, string | undefined>>,
): Promise<ClusterLocation> {
  const { server, caFile, tokenFile } = settings.cluster
  const tls: TlsOptions = caFile === undefined ? {} : { ca: readFileSync(caFile, 'utf8') }
  const own = (bearer: Bearer | undefined) => (role: Role) => (withIdentity.has(role) ? bearer : undefined)
  const fromFile = tokenFile === undefined ? undefined : bearerFromFile(tokenFile)
  if (server !== undefined) return { server, tls, bearerOf: own(fromFile) }
  if (settings.kubeconfig !== undefined) {
    const access = await loadKubeconfig({ file: settings.kubeconfig }).catch(refuseCredentials(settings.kubeconfig))
    return { server: access.server, tls: access.tls, bearerOf: own(fromFile ?? access.bearer) }
  }
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = env
  // D2: the BFF's pod mounts no token, only the certificate authority.
  if (host !== undefined && caFile !== undefined)
    return { server: `https://${host}:${port}`, tls, bearerOf: own(fromFile) }
  const pod = podAccess(env)
  if (pod === undefined) throw new SettingsError('no cluster: set KUBECONFIG, or MESH_CLUSTER_SERVER')
  return { server: pod.server, tls: pod.tls, bearerOf: own(pod.bearer ?? undefined) }
}

// The file itself was validated; a later failure is that of a command or issuer in it, whose errors may quote credentials.
function refuseCredentials(file: string): (error: unknown) => never {
  return (error) => {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
    throw new SettingsError(
      `KUBECONFIG (kubeconfig): ${file}: the credentials of its user cannot be read${code}; try kubectl with this file`,
    )
  }
}

function podAccess(env: Readonly<Record<string, string | undefined>>): ReturnType<typeof inClusterAccess> {
  try {
    return inClusterAccess(env)
  } catch (error) {
    const path = error instanceof Error && 'path' in error ? `${String(error.path)}: ` : ''
    throw new SettingsError(
      `no cluster: KUBERNETES_SERVICE_HOST is set, but ${path}${fileProblem(error)}; mount the service account into the pod, or set KUBECONFIG or MESH_CLUSTER_SERVER`,
    )
  }
}
