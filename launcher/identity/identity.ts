import { generateKeyPairSync } from 'node:crypto'
import type { Logger } from '#core/log/logger.ts'
import { toThumbprinted } from '#core/signing/key-thumbprint.ts'
import { createTlsIdentity } from '../http/certificate.ts'
import type { TlsIdentity, Identity } from '../contract/identity.ts'
import { keepCertified } from './keep-certified.ts'
import type { RenewedCertificate } from './keep-certified.ts'

/** Options of `createIdentity`. */
export interface IdentityOptions {
  /** Asks for a certificate of a public key (base64url). */
  readonly request: (x: string) => Promise<string>
  readonly log: Logger
}

/**
 * Creates a key pair and has it certified by the state role repeatedly. The first certificate is not awaited: the launcher serves its probes
 * meanwhile, and is not ready.
 */
export function createIdentity({ request, log }: IdentityOptions): Identity {
  const { privateKey } = generateKeyPairSync('ed25519')
  const { kid, x } = toThumbprinted(privateKey)
  const key = { id: kid, key: privateKey }
  const listeners = new Set<(tls: TlsIdentity) => void>()
  let tls = createTlsIdentity(privateKey, undefined)
  const certified: RenewedCertificate = keepCertified({
    request: () => request(x),
    onCertificate: (certificate) => {
      tls = createTlsIdentity(privateKey, certificate)
      for (const listener of listeners) listener(tls)
    },
    log,
  })
  return {
    follow(listener) {
      listeners.add(listener)
      listener(tls)
    },
    signer() {
      const certificate = certified.current()
      return certificate === undefined ? undefined : { key, certificate }
    },
    close: certified.close,
  }
}
