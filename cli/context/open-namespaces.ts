import { setTimeout as pause } from 'node:timers/promises'
import type { KubePool } from '#core/kube/connection-pool.ts'
import type { KubeClient, KubeObject } from '#core/kube/client.ts'
import { parseName } from '#core/kube/names.ts'
import { isStatus, KubeError } from '#core/kube/status.ts'
import { CliProblem } from '#cli/contract/cli-problem.ts'
import type { ClusterNamespaces } from '#cli/contract/cluster-namespaces.ts'
import { toSafeText } from '#cli/contract/safe-text.ts'
import { kubeconfigPaths } from './kubeconfig-file.ts'

/** The cluster of a context, opened at the first call. */
export interface OpenNamespaces extends ClusterNamespaces {
  close(): Promise<void>
}

const namespaceKind = { group: '', version: 'v1', plural: 'namespaces', kind: 'Namespace', namespaced: false }

const END_MS = 120_000

/** Opens the namespaces of the cluster of a context. Failures are `CliProblem`. */
export function openNamespaces(
  flags: { readonly context?: string | undefined; readonly kubeconfig?: string | undefined },
  env: Readonly<Record<string, string | undefined>>,
): OpenNamespaces {
  let opened: Promise<OpenCluster> | undefined
  const within = async <T>(use: (cluster: KubeClient) => Promise<T>): Promise<T> => {
    opened ??= openCluster(kubeconfigPaths(flags.kubeconfig, env), flags.context)
    const { cluster, server } = await opened
    return use(cluster).catch((error: unknown) => {
      throw toProblem(error, server)
    })
  }
  return {
    ensure: (name) => within((cluster) => ensure(cluster, name)),
    delete: (name) =>
      within(async (cluster) => {
        await cluster.delete(namespaceKind, { name: parseName('namespace', name) }).catch(unless404)
      }),
    close: async () => {
      await (await opened?.catch(() => undefined))?.pool.close()
    },
  }
}

interface OpenCluster {
  readonly server: string
  readonly cluster: KubeClient
  readonly pool: KubePool
}

async function openCluster(paths: readonly string[], context: string | undefined): Promise<OpenCluster> {
  const [{ loadKubeconfig }, { createPool }, { createKubeClient }] = await Promise.all([
    import('#core/kube/kubeconfig/load-kubeconfig.ts'),
    import('#core/kube/connection-pool.ts'),
    import('#core/kube/create-client.ts'),
  ])
  // Of several files the library reads those of KUBECONFIG itself.
  const file = paths.length === 1 ? paths[0] : undefined
  try {
    const { server, tls, bearer } = await loadKubeconfig({ context, file })
    const pool = createPool(server, tls)
    return { server, pool, cluster: createKubeClient({ server, pool, bearer, userAgent: 'meshctl' }) }
  } catch (error) {
    const why = error instanceof Error ? error.message.slice(0, 200) : 'it cannot be read'
    throw new CliProblem(`the cluster of the context: ${toSafeText(why)}`, 'Check the kubeconfig with kubectl.')
  }
}

async function ensure(cluster: KubeClient, given: string): Promise<'created' | 'existed' | 'denied'> {
  const name = parseName('namespace', given)
  for (const end = performance.now() + END_MS; performance.now() < end; await pause(500)) {
    const found = await cluster.get(namespaceKind, { name }).catch(unless404or403)
    // Without the right to read it, the first write into it decides.
    if (found === 'denied') return 'existed'
    if (found === undefined) return create(cluster, name)
    if ((found.status as { phase?: string } | undefined)?.phase !== 'Terminating') return 'existed'
  }
  throw new CliProblem(`namespace ${given} is being deleted`, 'Try again when it is gone.')
}

async function create(cluster: KubeClient, name: string): Promise<'created' | 'existed' | 'denied'> {
  try {
    await cluster.create(namespaceKind, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
    return 'created'
  } catch (error) {
    if (isStatus(error, 409)) return 'existed'
    if (isStatus(error, 403)) return 'denied'
    throw error
  }
}

function unless404(error: unknown): undefined {
  if (isStatus(error, 404)) return undefined
  throw error
}

function unless404or403(error: unknown): KubeObject | 'denied' | undefined {
  return isStatus(error, 403) ? 'denied' : unless404(error)
}

function toProblem(error: unknown, server: string): CliProblem {
  if (error instanceof CliProblem) return error
  const known = error instanceof KubeError || (error instanceof Error && error.name === 'InvalidName')
  const why = known ? error.message : 'the call failed'
  return new CliProblem(`cluster ${server}: ${toSafeText(why)}`, 'Check the context with kubectl.')
}
