import type { Caller } from '#core/cluster/caller.ts'
import type { KubeObject } from '#core/kube/client.ts'
import { isLabel } from '#core/kube/names.ts'
import type { DnsLabel } from '#core/kube/names.ts'

/** Keeps the objects that a caller may use, by access reviews of the caller. */
export interface UsableObjects {
  keep(name: ModelKind, items: readonly KubeObject[]): Promise<readonly KubeObject[]>
  /** Whether objects were left out because there were too many to review. */
  truncated(): boolean
}

type ModelKind = 'route' | 'agent'

// The response of a chat with an agent is read from its run.
const rights = {
  route: { use: 'modelroutes/invoke', needs: undefined },
  agent: { use: 'agentdeployments/invoke', needs: 'runs' },
} as const

// Limit for callers with rights on single objects. A right on the whole namespace needs one review.
const maxNamedReviews = 200
const atOnce = 16

/** Creates the filter of one request, which caches reviews for that request only. */
export function createUsable(caller: Caller): UsableObjects {
  const answers = new Map<string, Promise<boolean>>()
  let named = 0
  let truncated = false
  const may = (verb: string, resource: string, where: { namespace: DnsLabel | ''; name?: string }): Promise<boolean> =>
    caller.may(verb, resource, where).then((access) => access !== undefined)
  const once = (verb: string, resource: string, namespace: DnsLabel | ''): Promise<boolean> => {
    const key = `${verb} ${resource} ${namespace}`
    const answer = answers.get(key) ?? may(verb, resource, { namespace })
    answers.set(key, answer)
    return answer
  }
  const inNamespace = async (verb: string, resource: string, namespace: DnsLabel): Promise<boolean> =>
    (await once(verb, resource, '')) || once(verb, resource, namespace)

  const keepNamed = async (use: string, namespace: DnsLabel, items: readonly KubeObject[]): Promise<KubeObject[]> => {
    const kept: KubeObject[] = []
    for (let start = 0; start < items.length; start += atOnce) {
      const batch = items.slice(start, start + atOnce)
      if (named >= maxNamedReviews) truncated = true
      if (truncated) return kept
      named += batch.length
      const allowed = await Promise.all(
        batch.map(({ metadata }) => may('create', use, { namespace, name: metadata.name })),
      )
      kept.push(...batch.filter((_, index) => allowed[index]))
    }
    return kept
  }
  return {
    async keep(name, items) {
      const { use, needs } = rights[name]
      const kept: KubeObject[] = []
      for (const [namespace, group] of Map.groupBy(items, ({ metadata }) => metadata.namespace ?? '')) {
        if (!isLabel(namespace)) continue
        if (needs !== undefined && !(await inNamespace('get', needs, namespace))) continue
        if (await inNamespace('create', use, namespace)) kept.push(...group)
        else kept.push(...(await keepNamed(use, namespace, group)))
      }
      return kept
    },
    truncated: () => truncated,
  }
}
