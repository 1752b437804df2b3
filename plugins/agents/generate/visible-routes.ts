import type { Caller } from '#core/cluster/caller.ts'
import type { DnsLabel } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
import { ModelRoute } from '#schemas/crds/model-route.ts'

const MOST = 50

/** Names of the ModelRoutes in a namespace that the caller can list, `preferred` first. Only `preferred` if listing is denied. */
export async function visibleRoutes(
  caller: Caller,
  { namespace, preferred, signal }: { namespace: DnsLabel; preferred: string; signal: AbortSignal },
): Promise<string[]> {
  try {
    const { items } = await caller.cluster.list(ModelRoute, { namespace, limit: MOST, signal })
    const names = items.map((route) => route.metadata.name)
    return names.includes(preferred) ? [...new Set([preferred, ...names])] : names.length > 0 ? names : [preferred]
  } catch (error) {
    if (isStatus(error, 403)) return [preferred]
    throw error
  }
}
