import type { LauncherSigner } from '#core/signing/launcher-token.ts'

/** The identity of this launcher: a key pair that exists in this process only, and its certificate. */
export interface Identity {
  /** Calls a listener with the current TLS identity, and with each later one. */
  follow(listener: (tls: TlsIdentity) => void): void
  /** The key with a valid certificate; undefined before the first one, and after the last one has expired. */
  signer(): LauncherSigner | undefined
  /** Stops the renewal. */
  close(): void
}

/** Private key and certificate of a TLS listener, in PEM. */
export interface TlsIdentity {
  readonly key: string
  readonly cert: string
}
