/** The agent whose pods run as a service account (`system:serviceaccount:<namespace>:<agent>`), or undefined. */
export function agentOfServiceAccount(
  username: string,
): { readonly namespace: string; readonly name: string } | undefined {
  const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(username) ?? []
  return namespace === undefined || name === undefined ? undefined : { namespace, name }
}
