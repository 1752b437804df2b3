/** Whether a `WWW-Authenticate` names the metadata of a protected resource, from which a grant can start (RFC 9728, section 5.1). */
export function namesResourceMetadata(challenge: string | undefined): boolean {
  if (challenge === undefined) return false
  return /(?:^|[,\s])bearer\s/i.test(challenge) && /[,\s]resource_metadata="?https?:\/\//i.test(challenge)
}
