/** Name of an agent. */
export interface AgentName {
  readonly namespace: string
  readonly name: string
}

/** `spec.delegates` of an agent, with the agent's namespace. */
export interface Delegator {
  readonly namespace: string
  readonly delegates: readonly { readonly namespace?: string; readonly name: string }[] | undefined
}

/** Whether an agent may call another: agents in its list; without a list, agents of its own namespace (ADR 0022). */
export function mayDelegate({ namespace, delegates }: Delegator, target: AgentName): boolean {
  if (delegates === undefined) return target.namespace === namespace
  return delegates.some((one) => one.name === target.name && (one.namespace ?? namespace) === target.namespace)
}
