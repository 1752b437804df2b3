import { X509Certificate } from 'node:crypto'
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { JwsRefused } from './jws.ts'
import { verifyCertificate } from './launcher-certificate.ts'
import type { CertificateIssuer } from './launcher-certificate.ts'

/** Scheme of the URI in the X.509 certificate of a launcher; its certificate of the installation follows. */
export const CERTIFICATE_SCHEME = 'mesh-launcher:'

/** The agent whose launcher is expected, and the authority that certifies launchers. */
export interface ExpectedLauncher extends CertificateIssuer {
  readonly agentUid: string
}

/**
 * Returns why the peer of a completed TLS handshake is not a launcher of the agent; undefined if it is one. The handshake proves that the peer
 * has the key of its X.509 certificate. The certificate of the installation in it identifies the owner of that key.
 */
export async function launcherProblem(socket: Socket, expected: ExpectedLauncher): Promise<string | undefined> {
  const x509 = peerOf(socket)
  if (x509 === undefined) return 'it has no TLS certificate'
  const token = certificateIn(x509)
  if (token === undefined) return 'it has no certificate of the installation'
  try {
    const { agentUid, key } = await verifyCertificate(token, expected)
    if (agentUid !== expected.agentUid) return 'its certificate belongs to another agent'
    return key.equals(x509.publicKey) ? undefined : 'its certificate belongs to another key'
  } catch (error) {
    if (error instanceof JwsRefused) return `its certificate is not accepted (${error.reason})`
    throw error
  }
}

/**
 * Returns the public key (PEM, SPKI) of a peer without a certificate of the installation, such as a launcher of an earlier version; else
 * undefined.
 */
export function formerKeyOf(socket: Socket): string | undefined {
  const x509 = peerOf(socket)
  if (x509 === undefined || x509.subjectAltName !== undefined) return undefined
  return x509.publicKey.export({ type: 'spki', format: 'pem' }) as string
}

function peerOf(socket: Socket): X509Certificate | undefined {
  const x509 = socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined
  return x509 instanceof X509Certificate ? x509 : undefined
}

/** The certificate of the installation in the subject alternative name of an X.509 certificate. */
function certificateIn({ subjectAltName = '' }: X509Certificate): string | undefined {
  const prefix = `URI:${CERTIFICATE_SCHEME}`
  const certificate = subjectAltName.startsWith(prefix) ? subjectAltName.slice(prefix.length) : ''
  return /^[\w.-]{1,4096}$/.test(certificate) ? certificate : undefined
}
