import type { Caller } from '#core/cluster/caller.ts'
import type { KubeClient, KubeObject, ObjectList } from '#core/kube/client.ts'
import { parseLabel } from '#core/kube/names.ts'
import type { DnsLabel } from '#core/kube/names.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import { ModelRoute } from '#schemas/crds/model-route.ts'
import type { GatewayCall } from '../request/gateway-call.ts'
import { mayCallRoute } from './agent-routes.ts'
import { createUsable } from './usable-models.ts'
import type { UsableObjects } from './usable-models.ts'

/** An entry of `GET /v1/models`. */
export interface ModelEntry {
  readonly id: string
  readonly object: 'model'
  readonly created: number
  readonly owned_by: string
}

/** Response of `GET /v1/models`. `has_more` is set if a limit omitted models; `X-Mesh-Namespace` narrows the list. */
export interface ModelList {
  readonly object: 'list'
  readonly data: readonly ModelEntry[]
  readonly has_more: boolean
}

/** Limits of the list, which has no pages. */
export const listBounds = { models: 1_000, namespaces: 1_000, pageSize: 500 } as const

const sources = {
  route: { resource: ModelRoute, prefix: '' },
  agent: { resource: AgentDeployment, prefix: 'agent/' },
} as const

type SourceName = keyof typeof sources

interface Collected {
  readonly entries: ModelEntry[]
  truncated: boolean
}

/**
 * Lists the routes and agents that the principal may use. For a person, lists and reviews use the caller's rights, in the namespace of
 * `X-Mesh-Namespace` or else in every namespace that the caller may list. For a pod, the list has the routes of its namespace that its agent may
 * call.
 */
export async function listModels(call: GatewayCall): Promise<ModelList> {
  const { principal, gateway } = call
  const found: Collected = { entries: [], truncated: false }
  if (principal.kind === 'pod') {
    const { agent, namespace } = principal
    const keep: Place['keep'] = async (items) =>
      items.filter(({ metadata: { name } }) => mayCallRoute(agent, { namespace, name }))
    await collect(found, 'route', { cluster: gateway.cluster, namespace: parseLabel('namespace', namespace), keep })
  } else {
    const usable = createUsable(principal.caller)
    await listAsCaller(call, principal.caller, { found, usable, name: 'route' })
    await listAsCaller(call, principal.caller, { found, usable, name: 'agent' })
    if (usable.truncated()) found.truncated = true
  }
  return { object: 'list', data: found.entries, has_more: found.truncated }
}

/** An object as a model. */
export function toModelEntry(name: SourceName, { metadata }: KubeObject): ModelEntry {
  const namespace = metadata.namespace ?? ''
  const created = Math.floor(Date.parse(metadata.creationTimestamp ?? '1970-01-01T00:00:00Z') / 1000)
  return { id: `${sources[name].prefix}${namespace}/${metadata.name}`, object: 'model', created, owned_by: namespace }
}

interface Listing {
  readonly found: Collected
  readonly usable: UsableObjects
  readonly name: SourceName
}

async function listAsCaller(call: GatewayCall, caller: Caller, { found, usable, name }: Listing): Promise<void> {
  const { plural } = sources[name].resource
  const { cluster } = caller
  const only = call.narrowedTo ?? (call.gateway.directory === undefined ? call.namespace : undefined)
  const list = (namespace: DnsLabel | ''): Promise<void> =>
    collect(found, name, { cluster, namespace, keep: (items) => usable.keep(name, items) })
  if (only !== undefined) {
    // A denied list of routes is the cluster's 403. A denied list of agents omits them.
    if (name === 'route') await caller.review('list', plural, { namespace: only })
    else if ((await caller.may('list', plural, { namespace: only })) === undefined) return
    return list(only)
  }
  const limited = call.gateway.directory?.limited === true
  if (!limited && (await caller.may('list', plural, { namespace: '' })) !== undefined) return list('')
  let namespaces = 0
  await call.gateway.directory?.permitted(caller, 'list', plural, '', async ({ namespace }) => {
    await list(namespace)
    if (++namespaces >= listBounds.namespaces) found.truncated = true
    return found.truncated ? 'full' : 'more'
  })
}

interface Place {
  readonly cluster: KubeClient
  readonly namespace: DnsLabel | ''
  readonly keep?: (items: readonly KubeObject[]) => Promise<readonly KubeObject[]>
}

async function collect(found: Collected, name: SourceName, { cluster, namespace, keep }: Place): Promise<void> {
  const { resource } = sources[name]
  for (let next: string | undefined = ''; next !== undefined && !found.truncated;) {
    const page: ObjectList<KubeObject> = await cluster.list(resource, {
      limit: listBounds.pageSize,
      ...(namespace === '' ? {} : { namespace }),
      ...(next === '' ? {} : { continue: next }),
    })
    for (const item of keep === undefined ? page.items : await keep(page.items)) {
      if (found.entries.length < listBounds.models) found.entries.push(toModelEntry(name, item))
      else found.truncated = true
    }
    next = page.continue
  }
}
