import { isObject } from '#core/json/is-object.ts'
import { JwsRefused, MAX_JWS_BYTES, signJws, verifyJws } from './jws.ts'
import type { Claims, TokenExpectation } from './jws.ts'
import type { SigningKey } from './keyring.ts'
import { verifyCertificate } from './launcher-certificate.ts'
import type { CertificateIssuer, CertifiedLauncher } from './launcher-certificate.ts'

/** A launcher that signs: its key, and the certificate that identifies the owner of the key. */
export interface LauncherSigner {
  readonly key: SigningKey
  readonly certificate: string
}

/** Claims of a token that a launcher signs; the certificate makes it verifiable for every party that knows the issuer. */
export interface LauncherClaims extends Claims {
  readonly certificate: string
}

/** Signs claims with the certificate of the launcher in them. */
export function signAsLauncher({ key, certificate }: LauncherSigner, claims: Claims): Promise<string> {
  return signJws(key, { ...claims, certificate } as LauncherClaims)
}

/** Verifies a token by the key in its certificate; returns both. Rejects with `JwsRefused`, or with the error of the issuer. */
export async function verifyAsLauncher<C extends LauncherClaims>(
  token: string,
  issuer: CertificateIssuer,
  expected: TokenExpectation<C>,
): Promise<{ readonly claims: C; readonly launcher: CertifiedLauncher }> {
  const launcher = await verifyCertificate(certificateIn(token), issuer)
  return { claims: await verifyJws<C>(token, () => launcher.key, expected), launcher }
}

// Unverified: the certificate is verified by itself, and the token by the key in it.
function certificateIn(token: string): string {
  if (token.length > MAX_JWS_BYTES) throw new JwsRefused('too_large')
  const claims = parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'))
  if (claims === undefined) throw new JwsRefused('malformed')
  if (typeof claims['certificate'] !== 'string') throw new JwsRefused('no_certificate')
  return claims['certificate']
}

function parse(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
