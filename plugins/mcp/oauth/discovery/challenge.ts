/** What a server asks for in `WWW-Authenticate` (RFC 6750, section 3; RFC 9728, section 5.1). Texts of the server: checked before use, never shown. */
export interface Challenge {
  readonly resourceMetadata: string | undefined
  readonly scopes: readonly string[] | undefined
  readonly error: string | undefined
}

const MAX_SCOPES = 50
const PARAMETER = /(?<![^\s,])([a-z_]{1,32})=(?:"([^"\\]{0,2048})"|([^\s,"]{1,2048}))/gi

/** Reads the parameters of a Bearer challenge. */
export function readChallenge(header: string | undefined): Challenge {
  const text = header !== undefined && /(?:^|,)\s*bearer\b/i.test(header) ? header : ''
  const scope = parameterOf(text, 'scope')
  return {
    resourceMetadata: parameterOf(text, 'resource_metadata'),
    scopes: scope === undefined ? undefined : toScopes(scope),
    error: parameterOf(text, 'error'),
  }
}

/** The scopes of a list that is separated by spaces (RFC 6749, section 3.3); others are left out. */
export function toScopes(text: string): readonly string[] {
  const given = text.split(' ').filter((one) => /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/.test(one))
  return [...new Set(given)].slice(0, MAX_SCOPES)
}

function parameterOf(text: string, name: string): string | undefined {
  const found = [...text.matchAll(PARAMETER)].find(([, given]) => given?.toLowerCase() === name)
  return found?.[2] ?? found?.[3]
}
