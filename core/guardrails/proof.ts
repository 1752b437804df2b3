import { createHash, createPublicKey } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { JwsRefused, signJws, verifyJws } from '#core/signing/jws.ts'
import type { Claims } from '#core/signing/jws.ts'

/** Header with which a launcher proves that it applied the rules of a call. */
export const guardedHeader = 'x-mesh-guarded'

const typ = 'guarded'
const validSeconds = 60
const reuseMs = 30_000

interface ProofClaims extends Claims {
  readonly agentUid: string
  readonly digest: string
  /** What a person has approved, by the keys of messages.ts. */
  readonly approved?: readonly string[]
}

/** The launcher's key, which its agent cannot read. */
export interface ProofSigner {
  readonly privateKey: KeyObject
  readonly agentUid: string
  readonly now: () => Date
}

/** Signs that the policies of a digest were applied, and which rules of the gateway a person has approved. */
export type GuardProver = (digest: string, approved?: readonly string[]) => Promise<string>

/** Creates the function that signs. A proof without approvals is reused for 30 seconds. */
export function createGuardProof({ privateKey, agentUid, now }: ProofSigner): GuardProver {
  const key = { id: keyIdOf(createPublicKey(privateKey)), key: privateKey }
  let last: { readonly digest: string; readonly at: number; readonly token: Promise<string> } | undefined
  const sign = (at: number, digest: string, approved: readonly string[]): Promise<string> => {
    const iat = Math.floor(at / 1000)
    const claims: ProofClaims = { typ, iat, exp: iat + validSeconds, agentUid, digest }
    return signJws(key, approved.length === 0 ? claims : { ...claims, approved })
  }
  return (digest, approved = []) => {
    const at = now().getTime()
    if (approved.length > 0) return sign(at, digest, approved)
    if (last?.digest !== digest || at - last.at >= reuseMs || at < last.at)
      last = { digest, at, token: sign(at, digest, []) }
    return last.token
  }
}

/** What a proof must say, and the valid keys of the agent's launchers (PEM). */
export interface ExpectedProof {
  readonly agentUid: string
  readonly digest: string
  readonly publicKeys: readonly string[]
  readonly now: () => Date
}

/**
 * What a proof shows. `valid`: a launcher of the agent has applied exactly these policies. `stale`: a launcher has applied others, or too
 * long ago. `forged`: no launcher of the agent has signed it.
 */
export type ProofVerdict =
  | { readonly kind: 'valid'; readonly approved: readonly string[] }
  | { readonly kind: 'stale' }
  | { readonly kind: 'forged' }

/** Checks a proof. */
export async function verifyGuardProof(
  token: string,
  { agentUid, digest, publicKeys, now }: ExpectedProof,
): Promise<ProofVerdict> {
  const keys = publicKeys.map((pem) => createPublicKey(pem))
  const find = (id: string): KeyObject | undefined => keys.find((key) => keyIdOf(key) === id)
  try {
    const claims = await verifyJws<ProofClaims>(token, find, { typ, now })
    if (claims.agentUid !== agentUid) return { kind: 'forged' }
    return claims.digest === digest ? { kind: 'valid', approved: claims.approved ?? [] } : { kind: 'stale' }
  } catch (error) {
    if (!(error instanceof JwsRefused)) throw error
    // The signature is verified before the times.
    return error.reason === 'expired' || error.reason === 'not_yet' ? { kind: 'stale' } : { kind: 'forged' }
  }
}

function keyIdOf(key: KeyObject): string {
  return createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('base64url')
}
