import type { AgentKubeEvent, AgentPodView, AgentRights, AgentStatistics } from '#schemas/api/agent-views.ts'
import type { Spending } from '#schemas/api/tenants.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'

/** An agent with what a page asked for beside the object. */
export interface ShownAgent extends AgentDeploymentObject {
  readonly stats?: AgentStatistics
  readonly can?: AgentRights
  readonly budget?: Spending | null
  readonly pods?: readonly AgentPodView[] | null
  readonly events?: readonly AgentKubeEvent[] | null
}

/** How an agent is: a state that has a look, and the reason of the condition that says so. */
export interface AgentHealth {
  readonly state: 'ready' | 'idle' | 'degraded' | 'gated' | 'progressing' | 'unknown' | 'Deleting'
  readonly reason?: string
  readonly message?: string
}

/** How an agent is, from its conditions. One that no controller has looked at is unknown. */
export function healthOf({ metadata, status }: ShownAgent): AgentHealth {
  const condition = (type: string) => status?.conditions?.find((one) => one.type === type)
  const ready = condition('Ready')
  if (metadata.deletionTimestamp !== undefined) return { state: 'Deleting' }
  if (ready === undefined) return withCause('unknown', condition('Accepted'))
  if (condition('Degraded')?.status === 'True') return withCause('degraded', condition('Degraded'))
  if (condition('EvalGated')?.status === 'True') return withCause('gated', condition('EvalGated'))
  if (ready.status !== 'True') return withCause('progressing', ready)
  return status?.replicas === 0 ? withCause('idle', ready) : { state: 'ready' }
}

interface Cause {
  readonly reason: string
  readonly message: string
}

function withCause(state: AgentHealth['state'], cause: Cause | undefined): AgentHealth {
  return cause === undefined ? { state } : { state, reason: cause.reason, message: cause.message }
}

/** Types of conditions whose True is no good news. */
export const negativeConditions: readonly string[] = ['Degraded', 'EvalGated']

/** The newest revision that takes runs, as it is shown; undefined before the first one. */
export function servedRevisionOf({ status }: ShownAgent): string | undefined {
  const [newest] = status?.servingRevisions ?? []
  return newest === undefined ? undefined : `r${newest}`
}

/** The share of runs that did not fail; undefined without runs. */
export function successOf(stats: AgentStatistics | undefined): number | undefined {
  return stats === undefined || stats.runs === 0 ? undefined : (stats.runs - stats.failed) / stats.runs
}

/** Whether the caller may surely not do something. A cluster that cannot list the rights of the caller decides at the request. */
export function mayNot(can: AgentRights | undefined, right: Exclude<keyof AgentRights, 'complete'>): boolean {
  return can?.complete === true && !can[right]
}

/** Address of an agent's page. */
export function agentAddress({ namespace = '', name }: { readonly namespace?: string; readonly name: string }): string {
  return `/agents/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`
}
