import { createHash } from 'node:crypto'
import type { Sealed } from '#core/signing/sealed.ts'
import type { TokenIssuer } from '../server/authorization-calls.ts'

/** What ends a consent. It is sealed with the state. */
export interface ConsentSecret {
  readonly issuer: TokenIssuer
  readonly verifier: string
  readonly redirectUri: string
  readonly scopes: readonly string[]
  readonly returnTo: string | null
  /** Address of the server. */
  readonly url: string
  /** The server promises `iss` in its responses (RFC 9207). */
  readonly sendsIssuer: boolean
}

/** Hash of a state or of the id of a session: what is stored cannot be used. */
export function toStateHash(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** Seals what ends a consent, for the row with the hash of its state. */
export function sealConsent(sealed: Sealed, stateHash: Buffer, secret: ConsentSecret): string {
  return sealed.seal(JSON.stringify(secret), bindingOf(stateHash))
}

/** Opens it. Throws `NotOpenable`. */
export function openConsent(sealed: Sealed, stateHash: Buffer, value: string): ConsentSecret {
  return JSON.parse(sealed.open(value, bindingOf(stateHash))) as ConsentSecret
}

function bindingOf(stateHash: Buffer) {
  return { purpose: 'mcp-consent', of: [stateHash.toString('hex')] }
}
