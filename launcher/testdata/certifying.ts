import type { ServerResponse } from 'node:http'
import type { TestIssuer } from '#core/signing/testing/test-issuer.ts'

/** A received request: its path, and its body as a string. */
export interface Asked {
  readonly path: string
  readonly text: string
}

/** Responds to requests for certificates and their keys, as the state role does; false for other requests. */
export async function certifying(
  { certify, jwks }: TestIssuer,
  agentUid: string,
  { path, text }: Asked,
  response: ServerResponse,
): Promise<boolean> {
  const isCertificate = path === '/launchers/certificates'
  if (!isCertificate && path !== '/launchers/keys') return false
  const { x } = (isCertificate ? JSON.parse(text) : {}) as { x?: string }
  const body = isCertificate ? { certificate: await certify(x ?? '', agentUid) } : jwks()
  response.writeHead(isCertificate ? 201 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  return true
}
