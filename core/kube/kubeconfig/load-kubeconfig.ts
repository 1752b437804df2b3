import type { RequestOptions } from 'node:https'
import { conceal } from '#core/log/secrets.ts'
import type { ClusterAccess } from '../in-cluster.ts'

/** File (default: `KUBECONFIG`, then `~/.kube/config`) and context (default: the current one). */
export interface KubeconfigOptions {
  readonly file?: string | undefined
  readonly context?: string | undefined
}

/**
 * Reads a kubeconfig with its credentials: token, token file, client certificate, exec plugin, OIDC. Its library costs 0.8 s and 130 MB at
 * import, so it is imported only when a kubeconfig is used.
 */
export async function loadKubeconfig(options: KubeconfigOptions = {}): Promise<ClusterAccess> {
  const { KubeConfig } = await import('./kube-config.ts')
  const config = new KubeConfig()
  if (options.file === undefined) config.loadFromDefault()
  else config.loadFromFile(options.file)
  if (options.context !== undefined) config.setCurrentContext(options.context)
  const cluster = config.getCurrentCluster()
  if (cluster === null) throw new Error(`kubeconfig: no context "${options.context ?? config.getCurrentContext()}"`)
  const credentials = async (): Promise<RequestOptions> => {
    const request: RequestOptions = { headers: {} }
    await config.applyToHTTPSOptions(request)
    return request
  }
  const first = await credentials()
  return {
    server: cluster.server,
    tls: {
      ca: pem(first.ca),
      cert: pem(first.cert),
      key: pem(first.key),
      serverName: cluster.tlsServerName,
      insecure: cluster.skipTLSVerify,
    },
    // The library caches and renews credentials of exec plugins and OIDC, so it is queried for each call.
    bearer: bearerOf(first) === undefined ? null : async () => bearerOf(await credentials()) ?? '',
    namespace: config.getContextObject(config.getCurrentContext())?.namespace,
  }
}

function bearerOf(request: RequestOptions): string | undefined {
  const { headers } = request
  if (headers === undefined || Array.isArray(headers)) return undefined
  const value = Object.entries(headers).find(([name]) => name.toLowerCase() === 'authorization')?.[1]
  return typeof value === 'string' && value.startsWith('Bearer ') ? conceal(value.slice('Bearer '.length)) : undefined
}

function pem(value: RequestOptions['ca'] | RequestOptions['key']): string | undefined {
  return typeof value === 'string' || Buffer.isBuffer(value) ? value.toString() : undefined
}
