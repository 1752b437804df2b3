import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { RequestListener, Server } from 'node:http'
import { createServer } from 'node:https'
import { SettingsError } from '#core/config/settings-error.ts'

/** Files of a listener that serves TLS; with `clientCaFile` a client without a certificate of that authority is refused. */
export interface TlsFiles {
  readonly certFile: string
  readonly keyFile: string
  readonly clientCaFile?: string
}

// As of the server without TLS, which sets them itself.
const requestTimeoutMs = 120_000
const headersTimeoutMs = 10_000

/** Makes the TLS server below a Fastify app. Throws `SettingsError` when certificate and key do not belong together. */
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
  } as const
  return (handle) => {
    const server = createServer({ ...options, rejectUnauthorized: clientCaFile !== undefined }, handle)
    server.requestTimeout = requestTimeoutMs
    server.headersTimeout = headersTimeoutMs
    return server
  }
}
