import type { KeyObject } from 'node:crypto'
import { fromThumbprinted } from './key-thumbprint.ts'
import { JwsRefused, signJws, verifyJws } from './jws.ts'
import type { Claims, FindKey } from './jws.ts'
import type { KeyName, SigningKey } from './keyring.ts'

/** Key with which the state role certifies launchers. */
export const LAUNCHER_KEY: KeyName = 'launcher'

/** Seconds for which a certificate is valid. A launcher renews it after half of them. */
export const CERTIFICATE_SECONDS = 15 * 60

const typ = 'mesh-launcher'

/** The launcher that a certificate names. */
export interface CertifiedLauncher {
  readonly agentUid: string
  readonly podUid: string
  /** Its public key: the private one never leaves its process. */
  readonly key: KeyObject
}

interface CertificateClaims extends Claims {
  readonly agentUid: string
  readonly podUid: string
  /** Public key, base64url (RFC 8037). */
  readonly x: string
}

/** Subject of a certificate to issue. */
export type CertificateRequest = Pick<CertificateClaims, 'agentUid' | 'podUid' | 'x'>

/** Certifies that the launcher in a pod of an agent has the key pair of a public key. */
export function signCertificate(issuer: SigningKey, request: CertificateRequest, now: Date): Promise<string> {
  const { agentUid, podUid, x } = request
  const iat = Math.floor(now.getTime() / 1000)
  const claims: CertificateClaims = { typ, iat, exp: iat + CERTIFICATE_SECONDS, agentUid, podUid, x }
  return signJws(issuer, claims)
}

/** The keys of the installation that certify launchers, and the clock of the verifier. */
export interface CertificateIssuer {
  readonly find: FindKey
  readonly now: () => Date
}

/** Verifies a certificate. Rejects with `JwsRefused`, or with the error of `find`. */
export async function verifyCertificate(token: string, { find, now }: CertificateIssuer): Promise<CertifiedLauncher> {
  const { agentUid, podUid, x } = await verifyJws<CertificateClaims>(token, find, { typ, now })
  const key = fromThumbprinted({ kid: '', x })
  if (key === undefined || !agentUid || !podUid) throw new JwsRefused('claims')
  return { agentUid, podUid, key }
}

/** The issuer of a role that holds the public keys of the installation. */
export function issuerOf(
  keys: { find(name: KeyName, id: string): SigningKey | undefined },
  now: () => Date,
): CertificateIssuer {
  return { find: (id) => keys.find(LAUNCHER_KEY, id)?.key, now }
}
