import { randomUUID } from 'node:crypto'
import type { KubeClient } from '#core/kube/client.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject, AgentDeploymentStatus } from '#schemas/crds/agent-deployment.ts'
import { FIELD_MANAGER } from './apply.ts'
import type { Happening } from './happening.ts'
import { terminationHappening } from './last-termination.ts'
import { events } from './resources.ts'

/** Returns the Events for a change of the status. Pure. */
export function happeningsOf(agent: AgentDeploymentObject, after: AgentDeploymentStatus): Happening[] {
  const before = agent.status
  const changed = (after.conditions ?? []).filter((one) => {
    const old = before?.conditions?.find((other) => other.type === one.type)
    return old?.status !== one.status || old.reason !== one.reason
  })
  const rolledOut = after.latestSuccessfulRevision
  return [
    ...terminationHappening(before?.lastTermination, after.lastTermination),
    ...changed.flatMap((one): Happening[] => {
      if (one.type === 'Degraded' && one.status === 'True')
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

// The embedded default restarts every pod with the platform. The same revision serving again is no Event (UXL12).
function isRestart({ status: before }: AgentDeploymentObject, after: AgentDeploymentStatus): boolean {
  const ready = before?.conditions?.find(({ type }) => type === 'Ready')
  return ready?.reason === 'Progressing' && before?.currentRevision === after.currentRevision
}

/** Records Kubernetes Events of the agent. A failure to write one is logged and ignored. */
export async function record(
  cluster: KubeClient,
  agent: AgentDeploymentObject,
  happenings: readonly Happening[],
  now: Date,
): Promise<void> {
  for (const happening of happenings)
    await cluster.create(events, toEvent(agent, happening, now)).catch(() => undefined)
}

function toEvent(agent: AgentDeploymentObject, happening: Happening, now: Date) {
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
    type: happening.type,
    reason: happening.reason,
    message: happening.message.slice(0, 1024),
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
    source: { component: FIELD_MANAGER },
    reportingComponent: FIELD_MANAGER,
    reportingInstance: FIELD_MANAGER,
  }
}
