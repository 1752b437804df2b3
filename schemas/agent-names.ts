/** Name of the ServiceAccount that an agent's pods run as; the API server gives the pod's token that name. */
export function serviceAccountOf(agentName: string): string {
  return `agent-${agentName}`
}

/** The agent behind a service account's username (`system:serviceaccount:<namespace>:<name>`), or undefined. */
export function agentOfServiceAccount(
  username: string,
): { readonly namespace: string; readonly name: string } | undefined {
  const [, namespace, name] = /^system:serviceaccount:([^:]+):agent-([^:]+)$/.exec(username) ?? []
  return namespace === undefined || name === undefined ? undefined : { namespace, name }
}
