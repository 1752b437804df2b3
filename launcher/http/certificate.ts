import { createPrivateKey, createPublicKey, randomBytes, sign } from 'node:crypto'
import { ConfigError } from '../settings/agent-config.ts'

/** Private key and certificate of a TLS listener, in PEM. */
export interface TlsIdentity {
  readonly key: string
  readonly cert: string
}

// RFC 5280; 1.3.101.112 is Ed25519 (RFC 8410), 2.5.4.3 the common name.
const algorithm = der(0x30, der(0x06, Buffer.from([0x2b, 0x65, 0x70])))
const commonName = der(0x06, Buffer.from([0x55, 0x04, 0x03]))
const name = der(0x30, der(0x31, der(0x30, commonName, der(0x0c, Buffer.from('mesh-launcher')))))
// Workers pin the key, which the manager rotates; the certificate does not expire.
const validity = der(0x30, time('20000101000000Z'), time('99991231235959Z'))

/**
 * Creates a self-signed certificate for an Ed25519 private key (PEM, PKCS 8). Peers check only its public key: the handshake
 * proves that this process has the agent's key. Throws `ConfigError` for another type of key.
 */
export function createIdentity(key: string): TlsIdentity {
  const privateKey = readKey(key)
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'der' })
  const version = der(0xa0, der(0x02, Buffer.from([2])))
  const serial = randomBytes(16)
  // A positive number without leading zeros.
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40
  const body = der(0x30, version, der(0x02, serial), algorithm, name, validity, name, publicKey)
  const signature = der(0x03, Buffer.from([0]), sign(null, body, privateKey))
  const base64 = der(0x30, body, algorithm, signature).toString('base64')
  const lines = base64.match(/.{1,64}/g)?.join('\n') ?? ''
  return { key, cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n` }
}

function readKey(pem: string) {
  try {
    const key = createPrivateKey(pem)
    if (key.asymmetricKeyType === 'ed25519') return key
  } catch {
    // Handled like a key of another type: the message of OpenSSL could contain the file.
  }
  throw new ConfigError('MESH_KEY_FILE: has no Ed25519 private key')
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
