import { randomUUID } from 'node:crypto'
import type { KubeClient } from '#core/kube/client.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject, AgentDeploymentStatus } from '#schemas/crds/agent-deployment.ts'
import { RECONCILER_FIELD_MANAGER } from '../owned/apply-child.ts'
import type { Termination } from './last-termination.ts'
import { events as eventResource } from '../owned/child-kinds.ts'

/** An Event of an agent, as `kubectl describe` shows it. */
export interface KubeEvent {
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
}

/**
 * Returns the Events for a change of the status. A termination such as OOMKilled has one Event, even if it is the reason of
 * Degraded in the same or a later status. Pure.
 */
export function statusEvents(agent: AgentDeploymentObject, after: AgentDeploymentStatus): KubeEvent[] {
  const before = agent.status
  const changed = (after.conditions ?? []).filter((one) => {
    const old = before?.conditions?.find((other) => other.type === one.type)
    return old?.status !== one.status || old.reason !== one.reason
  })
  const rolledOut = after.latestSuccessfulRevision
  return [
    ...terminationEvents(before?.lastTermination, after.lastTermination),
    ...changed.flatMap((one): KubeEvent[] => {
      if (one.type === 'Degraded' && one.status === 'True' && one.reason !== after.lastTermination?.reason)
        return [{ type: 'Warning', reason: one.reason, message: one.message }]
      if (one.type === 'Ready' && one.status === 'True' && !isRestart(agent, after))
        return [{ type: 'Normal', reason: 'Ready', message: one.message }]
      return []
    }),
    ...(rolledOut !== undefined && rolledOut !== before?.latestSuccessfulRevision
      ? [{ type: 'Normal' as const, reason: 'RolledOut', message: `Revision ${rolledOut} is rolled out.` }]
      : []),
  ]
}

// Returns the Event of a termination that the status did not show before. Pure.
function terminationEvents(before: Termination | undefined, after: Termination | undefined): KubeEvent[] {
  const isKnown = before?.finishedAt === after?.finishedAt && before?.pod === after?.pod
  if (after === undefined || isKnown) return []
  return [{ type: 'Warning', reason: after.reason, message: `Pod ${after.pod}: ${after.message}` }]
}

// The embedded default restarts every pod with the platform. The same revision serving again is not an Event (UXL12).
function isRestart({ status: before }: AgentDeploymentObject, after: AgentDeploymentStatus): boolean {
  const ready = before?.conditions?.find(({ type }) => type === 'Ready')
  return ready?.reason === 'Progressing' && before?.currentRevision === after.currentRevision
}

/** Records Kubernetes Events of the agent. A failure to write one is logged and ignored. */
export async function recordEvents(
  cluster: KubeClient,
  agent: AgentDeploymentObject,
  events: readonly KubeEvent[],
  now: Date,
): Promise<void> {
  for (const event of events) await cluster.create(eventResource, toEvent(agent, event, now)).catch(() => undefined)
}

function toEvent(agent: AgentDeploymentObject, event: KubeEvent, now: Date) {
  const { name, namespace = '', uid = '', resourceVersion = '' } = agent.metadata
  const time = now.toISOString().replace(/\.\d+Z$/, 'Z')
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `${name}.${randomUUID().slice(0, 8)}`, namespace },
    involvedObject: {
      apiVersion: AgentDeployment.apiVersion,
      kind: AgentDeployment.kind,
      name,
      namespace,
      uid,
      resourceVersion,
    },
    type: event.type,
    reason: event.reason,
    message: event.message.slice(0, 1024),
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
    source: { component: RECONCILER_FIELD_MANAGER },
    reportingComponent: RECONCILER_FIELD_MANAGER,
    reportingInstance: RECONCILER_FIELD_MANAGER,
  }
}
