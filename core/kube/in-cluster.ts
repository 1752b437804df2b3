import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { conceal } from '#core/log/secrets.ts'
import type { Bearer } from './request.ts'
import type { TlsOptions } from './connection-pool.ts'

/** Connection and identity of a cluster, as `createPool` and `createKubeClient` take them. */
export interface ClusterAccess {
  readonly server: string
  readonly tls: TlsOptions
  readonly bearer: Bearer
  /** Namespace of the kubeconfig context, or of the pod. */
  readonly namespace: string | undefined
}

const MOUNT = '/var/run/secrets/kubernetes.io/serviceaccount'

// The kubelet renews a projected token at 80 % of its lifetime, so a minute-old copy is always valid.
const REREAD_MS = 60_000

/** Returns the bearer in a file that is renewed while the process runs. The file is read at most once a minute. */
export function bearerFromFile(path: string, now: () => number = () => performance.now()): () => Promise<string> {
  let read: { readonly token: string; readonly at: number } | undefined
  return async () => {
    if (read === undefined || now() - read.at >= REREAD_MS)
      read = { token: conceal((await readFile(path, 'utf8')).trim()), at: now() }
    return read.token
  }
}

/** Access by the pod's own service account, or undefined outside a cluster. */
export function inClusterAccess(
  env: Readonly<Record<string, string | undefined>>,
  mount: string = MOUNT,
): ClusterAccess | undefined {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = env
  if (host === undefined || host === '') return undefined
  return {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    tls: { ca: readFileSync(`${mount}/ca.crt`, 'utf8') },
    // A pod may mount only the certificate.
    bearer: existsSync(`${mount}/token`) ? bearerFromFile(`${mount}/token`) : null,
    namespace: readFileSync(`${mount}/namespace`, 'utf8').trim(),
  }
}
