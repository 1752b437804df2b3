import type { NewEvent, Subject } from '#core/event-store/event.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject, AgentDeploymentStatus } from '#schemas/crds/agent-deployment.ts'
import type { Condition } from '#schemas/kinds/object.ts'
import { agentDegraded, agentReady, revisionDeployed, revisionHeld } from '../../contract/events.ts'
import type { HeldRevision } from '../parts/ask-gates.ts'
import type { CandidateState } from '../status/candidate-status.ts'

/** An event whose id is a function of the transition, so that it is appended once. */
export type AgentFact = NewEvent & { readonly id: string; readonly time: Date }

/** The verdict of gates on the newest revision. */
export interface HeldFindings {
  /** Name of the newest revision. */
  readonly newest: string | undefined
  readonly held: readonly HeldRevision[]
  readonly candidate: CandidateState | undefined
}

/**
 * The transitions that a written status shows. Each has its time there, so the same status gives the same ids, also in another process. Pure.
 */
export function factsOf(
  agent: AgentDeploymentObject,
  status: AgentDeploymentStatus,
  { newest, held: [hold], candidate }: HeldFindings,
): readonly AgentFact[] {
  const { name, namespace, uid = '' } = agent.metadata
  const subject: Subject = { namespace, kind: AgentDeployment.kind, name, uid }
  const facts: AgentFact[] = []
  const add = (type: NewEvent['type'], since: string, data: Readonly<Record<string, unknown>>, of = ''): void => {
    const id = ['agents', uid, type.fact, ...(of === '' ? [] : [of]), since].join('/')
    facts.push({ id, type, subject, data, actor, time: new Date(since) })
  }
  const { latestSuccessfulRevision: latest, latestSuccessfulTime: deployedAt, currentRevision: current } = status
  if (latest !== undefined && deployedAt !== undefined) add(revisionDeployed, deployedAt, { revision: latest }, latest)
  const condition = hold?.condition ?? 'Gated'
  const gated = trueCondition(status, condition)
  if (hold !== undefined && newest !== undefined && gated !== undefined)
    add(
      revisionHeld,
      gated.lastTransitionTime,
      { revision: newest, plugin: hold.plugin, condition, reason: gated.reason, candidate: candidate !== undefined },
      newest,
    )
  const ready = trueCondition(status, 'Ready')
  if (ready !== undefined && current !== undefined) add(agentReady, ready.lastTransitionTime, { revision: current })
  const degraded = trueCondition(status, 'Degraded')
  if (degraded !== undefined)
    add(agentDegraded, degraded.lastTransitionTime, {
      reason: degraded.reason,
      ...(current === undefined ? {} : { serving: current }),
    })
  return facts
}

const actor = { name: 'agents', kind: 'controller' } as const

function trueCondition({ conditions }: AgentDeploymentStatus, type: string): Condition | undefined {
  return conditions?.find((one) => one.type === type && one.status === 'True')
}
