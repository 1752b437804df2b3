import { createPublicKey, randomBytes, sign } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { CERTIFICATE_SCHEME } from '#core/signing/launcher-proof.ts'
import type { TlsIdentity } from '../contract/identity.ts'

// RFC 5280; 1.3.101.112 is Ed25519 (RFC 8410), 2.5.4.3 the common name.
const algorithm = der(0x30, der(0x06, Buffer.from([0x2b, 0x65, 0x70])))
const commonName = der(0x06, Buffer.from([0x55, 0x04, 0x03]))
const name = der(0x30, der(0x31, der(0x30, commonName, der(0x0c, Buffer.from('mesh-launcher')))))
// Only the embedded certificate of the installation expires; the rest has no validity of its own.
const validity = der(0x30, time('20000101000000Z'), time('99991231235959Z'))
const subjectAltName = der(0x06, Buffer.from([0x55, 0x1d, 0x11]))

/**
 * Creates a self-signed X.509 certificate for an Ed25519 key, with the certificate of the installation as a URI in its subject alternative name. The
 * handshake proves that this process has the key; the URI identifies the owner of the key.
 */
export function createTlsIdentity(privateKey: KeyObject, certificate: string | undefined): TlsIdentity {
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'der' })
  const version = der(0xa0, der(0x02, Buffer.from([2])))
  const serial = randomBytes(16)
  // A positive number without leading zeros.
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40
  const extensions = certificate === undefined ? [] : [namedBy(CERTIFICATE_SCHEME + certificate)]
  const body = der(0x30, version, der(0x02, serial), algorithm, name, validity, name, publicKey, ...extensions)
  const signature = der(0x03, Buffer.from([0]), sign(null, body, privateKey))
  const base64 = der(0x30, body, algorithm, signature).toString('base64')
  const lines = base64.match(/.{1,64}/g)?.join('\n') ?? ''
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  }
}

function namedBy(uri: string): Buffer {
  const names = der(0x30, der(0x86, Buffer.from(uri, 'ascii')))
  return der(0xa3, der(0x30, der(0x30, subjectAltName, der(0x04, names))))
}

function time(text: string): Buffer {
  return der(0x18, Buffer.from(text))
}

// Encodes a DER element below 64 KiB.
function der(tag: number, ...content: readonly Buffer[]): Buffer {
  const body = Buffer.concat(content)
  const { length } = body
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), body])
}
