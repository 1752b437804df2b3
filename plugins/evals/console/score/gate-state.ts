import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'

/** What the gate of an agent does now. */
export interface ShownGate {
  /** The revision that it holds, with the reason; undefined if it holds none. */
  readonly held: { readonly number: number | undefined; readonly reason: string; readonly message: string } | undefined
  /** The newest revision that takes runs; undefined before the first one. */
  readonly serving: number | undefined
}

/** Reads the gate from the status of an agent. Pure. */
export function gateStateOf({ status }: Pick<AgentDeploymentObject, 'status'>): ShownGate {
  const condition = status?.conditions?.find(({ type }) => type === 'EvalGated')
  const isHeld = condition?.status === 'True'
  return {
    held: isHeld
      ? { number: status?.candidate?.number, reason: condition.reason, message: condition.message }
      : undefined,
    serving: status?.servingRevisions?.[0],
  }
}
