import type { Caller } from '#core/cluster/caller.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { KubeObject, ObjectRef, PodLogOptions } from '#core/kube/client.ts'
import { parseName } from '#core/kube/names.ts'
import type { DnsName } from '#core/kube/names.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import { AGENT_LABEL } from '#schemas/names/labels.ts'
import { pods } from '../contract/resources.ts'

/** Query of the logs route, parsed. */
export interface LogsRequest {
  container?: 'agent' | 'launcher'
  tail?: number
  since?: string
  follow?: boolean
  previous?: boolean
}

interface Container {
  readonly name: string
}

/** A Pod, reduced to the fields that are read here. */
interface Pod extends KubeObject {
  readonly spec?: { readonly containers?: readonly Container[]; readonly initContainers?: readonly Container[] }
  readonly status?: { readonly phase?: string }
}

/** The log of the agent's newest running pod as a byte stream, read with the caller's rights. */
export async function readLogs(
  caller: Caller,
  ref: Required<ObjectRef>,
  request: LogsRequest,
  context: { now: Date; signal: AbortSignal },
): Promise<AsyncIterable<Buffer>> {
  const since = sinceSeconds(request.since, context.now)
  const { signal } = context
  // The agent is read first, so that an unknown agent is a 404 and a denied caller gets the cluster's 403.
  await caller.cluster.get(AgentDeployment, ref, { signal })
  const found = await caller.cluster.list<Pod>(pods, {
    namespace: ref.namespace,
    labelSelector: `${AGENT_LABEL}=${ref.name}`,
    signal,
  })
  const pod = choosePod(found.items)
  if (pod === undefined) throw new Fail('not_found', `The agent ${ref.name} in ${ref.namespace} has no pod.`)
  const options: PodLogOptions = {
    container: chooseContainer(pod, request.container ?? 'agent'),
    signal,
    ...(request.tail === undefined ? {} : { tailLines: request.tail }),
    ...(since === undefined ? {} : { sinceSeconds: since }),
    ...(request.follow === undefined ? {} : { follow: request.follow }),
    ...(request.previous === undefined ? {} : { previous: request.previous }),
  }
  const name: DnsName = parseName('pod', pod.metadata.name)
  return caller.cluster.podLogs({ namespace: ref.namespace, name }, options)
}

/** Selects a running pod, or else the newest one. Pure. */
export function choosePod(found: readonly Pod[]): Pod | undefined {
  const rank = (pod: Pod): string => `${pod.status?.phase === 'Running' ? 1 : 0}${pod.metadata.creationTimestamp ?? ''}`
  return found.toSorted((a, b) => rank(b).localeCompare(rank(a)))[0]
}

// A declarative agent has no launcher beside it. Never the first container: a mesh or a log shipper may inject one.
function chooseContainer(pod: Pod, wanted: 'agent' | 'launcher'): string {
  const names = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])].map(
    (container) => container.name,
  )
  return names.includes(wanted) ? wanted : 'agent'
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 }

/** Converts a duration such as `10m` or an RFC 3339 time to seconds before now. Throws `invalid_query`. Pure. */
export function sinceSeconds(since: string | undefined, now: Date): number | undefined {
  if (since === undefined) return undefined
  if (/^(?:[0-9]{1,9}(?:ms|s|m|h|d)){1,5}$/.test(since)) {
    const parts = [...since.matchAll(/([0-9]{1,9})(ms|s|m|h|d)/g)]
    const seconds = parts.reduce((sum, [, count, unit]) => sum + Number(count) * (UNIT_SECONDS[unit ?? ''] ?? 0), 0)
    return withinReach(seconds)
  }
  const time = /^\d{4}-\d\d-\d\dT/.test(since) ? Date.parse(since) : Number.NaN
  if (Number.isNaN(time)) throw refuseSince('must be a duration such as 10m, or an RFC 3339 time')
  return withinReach((now.getTime() - time) / 1000)
}

// The API server and the kubelet convert the seconds to nanoseconds in an int64.
const MAX_SECONDS = 100 * 365 * 86_400

function withinReach(seconds: number): number {
  if (seconds > MAX_SECONDS) throw refuseSince('must be at most 100 years ago')
  return Math.max(1, Math.ceil(seconds))
}

function refuseSince(detail: string): Fail {
  return new Fail('invalid_query', undefined, { errors: [{ pointer: '?since', detail }] })
}
