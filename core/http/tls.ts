import { readFileSync } from 'node:fs'
import type { RequestListener, Server } from 'node:http'
import { createServer } from 'node:https'

/** Files of a listener that serves TLS; with `clientCaFile` a client without a certificate of that authority is refused. */
export interface TlsFiles {
  readonly certFile: string
  readonly keyFile: string
  readonly clientCaFile?: string
}

// As of the server without TLS, which sets them itself.
const requestTimeoutMs = 120_000
const headersTimeoutMs = 10_000

/** Makes the TLS server below a Fastify app. Throws when a file cannot be read. */
export function tlsServerFactory({ certFile, keyFile, clientCaFile }: TlsFiles): (handle: RequestListener) => Server {
  const clients = clientCaFile === undefined ? {} : { ca: readFileSync(clientCaFile), requestCert: true }
  const options = {
    cert: readFileSync(certFile),
    key: readFileSync(keyFile),
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
