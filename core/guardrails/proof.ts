import { JwsRefused } from '#core/signing/jws.ts'
import type { CertificateIssuer } from '#core/signing/launcher-certificate.ts'
import { signAsLauncher, verifyAsLauncher } from '#core/signing/launcher-token.ts'
import type { LauncherClaims, LauncherSigner } from '#core/signing/launcher-token.ts'

/** Header with which a launcher proves that it applied the rules of a call. */
export const guardedHeader = 'x-mesh-guarded'

const typ = 'guarded'
const validSeconds = 60
const reuseMs = 30_000

interface ProofClaims extends LauncherClaims {
  readonly agentUid: string
  readonly digest: string
  /** What a person has approved, by the keys of messages.ts. */
  readonly approved?: readonly string[]
}

/** The launcher that signs. It has no signer while it has no valid certificate. */
export interface ProofSigner {
  readonly signer: () => LauncherSigner | undefined
  readonly agentUid: string
  readonly now: () => Date
}

/** Signs that the policies of a digest were applied, and which rules of the gateway a person has approved; undefined without a signer. */
export type GuardProver = (digest: string, approved?: readonly string[]) => Promise<string | undefined>

/** Creates the function that signs. A proof without approvals is reused for 30 seconds. */
export function createGuardProof({ signer, agentUid, now }: ProofSigner): GuardProver {
  let last: { readonly digest: string; readonly at: number; readonly token: Promise<string> } | undefined
  const sign = (by: LauncherSigner, at: number, digest: string, approved: readonly string[]): Promise<string> => {
    const iat = Math.floor(at / 1000)
    const claims: Omit<ProofClaims, 'certificate'> = { typ, iat, exp: iat + validSeconds, agentUid, digest }
    return signAsLauncher(by, approved.length === 0 ? claims : Object.assign(claims, { approved }))
  }
  return async (digest, approved = []) => {
    const by = signer()
    if (by === undefined) return undefined
    const at = now().getTime()
    if (approved.length > 0) return sign(by, at, digest, approved)
    if (last?.digest !== digest || at - last.at >= reuseMs || at < last.at)
      last = { digest, at, token: sign(by, at, digest, []) }
    return last.token
  }
}

/** Required content of a proof, and the authority that certifies launchers. */
export interface ExpectedProof {
  readonly agentUid: string
  readonly digest: string
  readonly issuer: CertificateIssuer
}

/**
 * Result of checking a proof. `valid`: a launcher of the agent has applied exactly these policies. `stale`: a launcher has applied others, or
 * too long ago, or it is of a version without certificates. `forged`: no launcher of the agent has signed it.
 */
export type ProofVerdict =
  | { readonly kind: 'valid'; readonly approved: readonly string[] }
  | { readonly kind: 'stale' }
  | { readonly kind: 'forged' }

const stale: ReadonlySet<JwsRefused['reason']> = new Set(['expired', 'not_yet', 'no_certificate'])

/** Checks a proof. */
export async function verifyGuardProof(
  token: string,
  { agentUid, digest, issuer }: ExpectedProof,
): Promise<ProofVerdict> {
  try {
    const { claims, launcher } = await verifyAsLauncher<ProofClaims>(token, issuer, { typ, now: issuer.now })
    if (launcher.agentUid !== agentUid || claims.agentUid !== agentUid) return { kind: 'forged' }
    return claims.digest === digest ? { kind: 'valid', approved: claims.approved ?? [] } : { kind: 'stale' }
  } catch (error) {
    if (!(error instanceof JwsRefused)) throw error
    // Signatures are verified before times.
    return { kind: stale.has(error.reason) ? 'stale' : 'forged' }
  }
}
