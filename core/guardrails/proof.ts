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
}

/** The launcher's key, which its agent cannot read. */
export interface ProofSigner {
  readonly privateKey: KeyObject
  readonly agentUid: string
  readonly now: () => Date
}

/** Returns a function that signs that the policies of a digest were applied. A proof is reused for 30 seconds. */
export function createGuardProof({ privateKey, agentUid, now }: ProofSigner): (digest: string) => Promise<string> {
  const key = { id: keyIdOf(createPublicKey(privateKey)), key: privateKey }
  let last: { readonly digest: string; readonly at: number; readonly token: Promise<string> } | undefined
  return (digest) => {
    const at = now().getTime()
    if (last?.digest !== digest || at - last.at >= reuseMs || at < last.at) {
      const iat = Math.floor(at / 1000)
      const claims: ProofClaims = { typ, iat, exp: iat + validSeconds, agentUid, digest }
      last = { digest, at, token: signJws(key, claims) }
    }
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

/** Whether a launcher of the agent has applied exactly these policies. */
export async function isGuarded(token: string, { agentUid, digest, publicKeys, now }: ExpectedProof): Promise<boolean> {
  const keys = publicKeys.map((pem) => createPublicKey(pem))
  const find = (id: string): KeyObject | undefined => keys.find((key) => keyIdOf(key) === id)
  try {
    const claims = await verifyJws<ProofClaims>(token, find, { typ, now })
    return claims.agentUid === agentUid && claims.digest === digest
  } catch (error) {
    if (error instanceof JwsRefused) return false
    throw error
  }
}

function keyIdOf(key: KeyObject): string {
  return createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('base64url')
}
