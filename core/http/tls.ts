import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { RequestListener, Server } from 'node:http'
import { createServer } from 'node:https'
import { SettingsError } from '#core/config/settings-error.ts'

/** Files of a TLS listener. With `clientCaFile`, clients without a certificate of that authority are refused. */
export interface TlsFiles {
  readonly certFile: string
  readonly keyFile: string
  readonly clientCaFile?: string
}

// Same as for the server without TLS, where Fastify sets it.
const requestTimeoutMs = 120_000
const headersTimeoutMs = 10_000

/** Creates the TLS server of a Fastify app. Throws `SettingsError` if certificate and key do not match. */
export function tlsServerFactory({ certFile, keyFile, clientCaFile }: TlsFiles): (handle: RequestListener) => Server {
  const clients = clientCaFile === undefined ? {} : { ca: readFileSync(clientCaFile), requestCert: true }
  const [cert, key] = [readFileSync(certFile), readFileSync(keyFile)]
  if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)))
    throw new SettingsError(
      `listen.managerTls: the key in ${keyFile} does not belong to the certificate in ${certFile}`,
    )
  const options = {
    cert,
    key,
    ...clients,
    minVersion: 'TLSv1.2',
    requireHostHeader: false,
  } as const
  return (handle) => {
    const server = createServer({ ...options, rejectUnauthorized: clientCaFile !== undefined }, handle)
    server.requestTimeout = requestTimeoutMs
    server.headersTimeout = headersTimeoutMs
    return server
  }
}
