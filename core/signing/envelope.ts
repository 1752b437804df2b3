import { createHash } from 'node:crypto'
import { canonicalJson } from '#core/json/canonical-json.ts'
import { isObject } from '#core/json/is-object.ts'
import type { Envelope } from '#schemas/launcher/envelope.ts'
import { MAX_AMP_DEPTH, parseAgentPath } from '#schemas/launcher/envelope.ts'
import { JwsRefused } from './jws.ts'
import type { CertificateIssuer, CertifiedLauncher } from './launcher-certificate.ts'
import { signAsLauncher, verifyAsLauncher } from './launcher-token.ts'
import type { LauncherSigner } from './launcher-token.ts'

/** Seconds for which an envelope is valid: a call is forwarded immediately. */
export const ENVELOPE_SECONDS = 60

/** Seconds by which the clocks of two pods may differ. */
export const ENVELOPE_SKEW_SECONDS = 30

/** SHA-256 of the canonical JSON of a payload, base64url. */
export function digestPayload(payload: unknown): string {
  return createHash('sha256')
    .update(canonicalJson(payload ?? null))
    .digest('base64url')
}

/** Claims of an envelope that its sender chooses. */
export type EnvelopeClaims = Omit<Envelope, 'typ' | 'iat' | 'exp' | 'v' | 'certificate'>

/** Signs an envelope. Rejects with `JwsRefused` (`too_large`) above 4 KiB. */
export function signEnvelope(signer: LauncherSigner, envelope: EnvelopeClaims, now: Date): Promise<string> {
  const iat = Math.floor(now.getTime() / 1000)
  const claims: Omit<Envelope, 'certificate'> = { typ: 'mesh-amp', iat, exp: iat + ENVELOPE_SECONDS, v: 1, ...envelope }
  return signAsLauncher(signer, claims)
}

/** An envelope and the launcher that signed it. The caller checks by the uid whether that launcher belongs to the agent `from`. */
export interface SignedEnvelope {
  readonly envelope: Envelope
  readonly launcher: CertifiedLauncher
}

/** Verifies certificate, signature, times, form and target of an envelope. Rejects with `JwsRefused`. */
export async function verifyEnvelope(
  token: string,
  issuer: CertificateIssuer,
  expected: { readonly to: string },
): Promise<SignedEnvelope> {
  // Half of the skew that `verifyJws` allows for the time of issue is moved to the expiry.
  const now = (): Date => new Date(issuer.now().getTime() - ENVELOPE_SKEW_SECONDS * 1000)
  const { claims, launcher } = await verifyAsLauncher<Envelope>(token, issuer, { typ: 'mesh-amp', now })
  if (claims.exp - claims.iat !== ENVELOPE_SECONDS || !isEnvelope(claims)) throw new JwsRefused('claims')
  if (claims.to !== expected.to) throw new JwsRefused('claims')
  return { envelope: claims, launcher }
}

/** Whether path and depth of an envelope fit: the callee computes the depth itself (E2). */
export function isPathOf({ path, depth, from }: Pick<Envelope, 'path' | 'depth' | 'from'>): boolean {
  return depth === path.length && path.at(-1) === from && new Set(path).size === path.length
}

const checks: { readonly [Claim in Exclude<keyof Envelope, 'typ' | 'iat' | 'exp'>]: (value: unknown) => boolean } = {
  v: (value) => value === 1,
  id: (value) => isText(value, 36) && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value),
  registry: isAgentPath,
  from: isAgentPath,
  to: isAgentPath,
  role: (value) => isText(value, 63),
  access: isAccess,
  depth: isDepth,
  maxDepth: isDepth,
  path: (value) => Array.isArray(value) && value.length <= MAX_AMP_DEPTH && value.every(isAgentPath),
  budget: (value) => value === null || isObject(value),
  deadline: (value) => isText(value, 32) && !Number.isNaN(Date.parse(value)),
  conversationId: isTextOrNull,
  rootRunId: isTextOrNull,
  parentRunId: isTextOrNull,
  idempotencyKey: (value) => isText(value, 255),
  payloadDigest: (value) => isText(value, 43),
  certificate: (value) => isText(value, 1024),
}

function isEnvelope(claims: Envelope): boolean {
  const given: Readonly<Record<string, unknown>> = { ...claims }
  return (
    Object.keys(given).length === Object.keys(checks).length + 3 &&
    Object.entries(checks).every(([name, holds]) => holds(given[name]))
  )
}

function isText(value: unknown, most: number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= most
}

function isTextOrNull(value: unknown): boolean {
  return value === null || isText(value, 255)
}

function isAgentPath(value: unknown): boolean {
  return isText(value, 127) && parseAgentPath(value) !== undefined
}

function isDepth(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_AMP_DEPTH
}

function isAccess(value: unknown): boolean {
  return (
    isObject(value) &&
    isText(value.subject, 1024) &&
    isText(value.actor, 255) &&
    Array.isArray(value.scopes) &&
    value.scopes.length <= 16 &&
    value.scopes.every((scope) => isText(scope, 255))
  )
}
