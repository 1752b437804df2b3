import type { Caller } from '#core/cluster/caller.ts'
import type { KubeObject } from '#core/kube/client.ts'
import { parseLabel } from '#core/kube/names.ts'
import type { AgentKubeEvent } from '#schemas/api/agent-views.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { events as eventResource } from '../reconcile/owned/child-kinds.ts'
import { orDenied } from './agent-pods.ts'

const MOST_EVENTS = 50
const PAGE = 500
// A busy namespace may have many events of others. Those of the agent are selected by uid, those of pods by their names.
const MOST_PAGES = 4

/** A Kubernetes Event, reduced to the fields that are read here. */
interface KubeEvent extends KubeObject {
  readonly involvedObject?: { readonly kind?: string; readonly name?: string; readonly uid?: string }
  readonly type?: string
  readonly reason?: string
  readonly message?: string
  readonly count?: number
  readonly lastTimestamp?: string | null
  readonly eventTime?: string | null
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string }
}

/** Events of an agent and of the pods with some names, newest first; null for a caller who may not list events. */
export async function readAgentEvents(
  caller: Caller,
  { metadata: { namespace = '', uid = '' } }: AgentDeploymentObject,
  { pods, signal }: { readonly pods: ReadonlySet<string>; readonly signal: AbortSignal },
): Promise<readonly AgentKubeEvent[] | null> {
  const found: KubeEvent[] = []
  let next: string | undefined
  for (let page = 1; page <= MOST_PAGES; page++) {
    const more = next === undefined ? {} : { continue: next }
    const options = { namespace: parseLabel('namespace', namespace), limit: PAGE, signal, ...more }
    const list = await orDenied(caller.cluster.list<KubeEvent>(eventResource, options))
    if (list === null) return null
    found.push(...list.items.filter(({ involvedObject: of = {} }) => of.uid === uid || isPod(of, pods)))
    if (list.continue === undefined || list.continue === '') break
    next = list.continue
  }
  return found.map(toView).toSorted(newestFirst).slice(0, MOST_EVENTS)
}

function isPod({ kind, name = '' }: NonNullable<KubeEvent['involvedObject']>, pods: ReadonlySet<string>): boolean {
  return kind === 'Pod' && pods.has(name)
}

function toView(event: KubeEvent): AgentKubeEvent {
  const { involvedObject: of = {}, type = 'Normal', reason = '', message = '', series, metadata } = event
  const seen = series?.lastObservedTime ?? event.lastTimestamp ?? event.eventTime ?? metadata.creationTimestamp
  return {
    object: `${of.kind ?? ''}/${of.name ?? ''}`,
    type,
    reason,
    message: message.slice(0, 1024),
    count: series?.count ?? event.count ?? 1,
    lastSeenAt: seen ?? null,
  }
}

function newestFirst(a: AgentKubeEvent, b: AgentKubeEvent): number {
  return Date.parse(b.lastSeenAt ?? '') - Date.parse(a.lastSeenAt ?? '') || 0
}
