import { generateKeyPairSync } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { createKeyring } from '../create-keyring.ts'
import { toThumbprinted } from '../key-thumbprint.ts'
import { issuerOf, LAUNCHER_KEY, signCertificate } from '../launcher-certificate.ts'
import type { CertificateIssuer } from '../launcher-certificate.ts'
import type { Keyring } from '../keyring.ts'
import type { LauncherSigner } from '../launcher-token.ts'

/** A launcher with a key pair and a certificate. */
export interface TestLauncher extends LauncherSigner {
  readonly privateKey: KeyObject
}

/** An installation that certifies launchers for tests, as its state role would. */
export interface TestIssuer {
  readonly issuer: CertificateIssuer
  readonly keys: Keyring
  readonly jwks: () => object
  /** Certifies a public key (base64url). */
  certify(x: string, agentUid: string, at?: Date): Promise<string>
  /** Creates a launcher of an agent, certified at a time. */
  launcherOf(agentUid: string, at?: Date): Promise<TestLauncher>
}

/** Creates an issuer with its own key. */
export function createTestIssuer(now: () => Date = () => new Date()): TestIssuer {
  const keys = createKeyring({ generate: new Map([[LAUNCHER_KEY, 'ed25519']]) })
  const certify = (x: string, agentUid: string, at = now()): Promise<string> =>
    signCertificate(keys.current(LAUNCHER_KEY), { agentUid, podUid: 'pod-1', x }, at)
  return {
    issuer: issuerOf(keys, now),
    keys,
    jwks: () => keys.jwks([LAUNCHER_KEY]),
    certify,
    async launcherOf(agentUid, at) {
      const { privateKey } = generateKeyPairSync('ed25519')
      const { kid, x } = toThumbprinted(privateKey)
      return { privateKey, key: { id: kid, key: privateKey }, certificate: await certify(x, agentUid, at) }
    },
  }
}
