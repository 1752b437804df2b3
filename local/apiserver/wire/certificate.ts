import { X509Certificate, createPrivateKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

/** A self-signed serving certificate with its key, both PEM. */
export interface Certificate {
  key: string
  certificate: string
}

const DAY_MS = 86_400_000
const LIFETIME_DAYS = 3_650
const NAME = 'mesh embedded API server'
const OID = {
  ecdsaWithSha256: '2a8648ce3d040302',
  commonName: '550403',
  basicConstraints: '551d13',
  keyUsage: '551d0f',
  extendedKeyUsage: '551d25',
  subjectAltName: '551d11',
  serverAuth: '2b06010505070301',
}

/** One DER element: tag, length, content (X.690). */
function der(tag: number, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content)
  if (body.length < 0x80) return Buffer.concat([Buffer.from([tag, body.length]), body])
  const digits = body.length.toString(16)
  const length = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex')
  return Buffer.concat([Buffer.from([tag, 0x80 | length.length]), length, body])
}

const sequence = (...content: Buffer[]) => der(0x30, ...content)
const octets = (content: Buffer) => der(0x04, content)
const bits = (unused: number, content: Buffer) => der(0x03, Buffer.from([unused]), content)
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'))
const flag = (value: boolean) => der(0x01, Buffer.from([value ? 0xff : 0]))
const utcTime = (at: Date) => der(0x17, Buffer.from(`${at.toISOString().slice(2, 19).replace(/[-:T]/g, '')}Z`))

function name(): Buffer {
  return sequence(der(0x31, sequence(oid(OID.commonName), der(0x0c, Buffer.from(NAME)))))
}

function extensions(): Buffer {
  const extension = (id: string, critical: boolean, value: Buffer) =>
    sequence(oid(id), ...(critical ? [flag(true)] : []), octets(value))
  const loopback6 = Buffer.alloc(16)
  loopback6[15] = 1
  const names = [der(0x82, Buffer.from('localhost')), der(0x87, Buffer.from([127, 0, 0, 1])), der(0x87, loopback6)]
  const all = [
    extension(OID.basicConstraints, true, sequence(flag(true))),
    extension(OID.keyUsage, true, bits(2, Buffer.from([0x84]))), // digitalSignature, keyCertSign
    extension(OID.extendedKeyUsage, false, sequence(oid(OID.serverAuth))),
    extension(OID.subjectAltName, false, sequence(...names)),
  ]
  return der(0xa3, sequence(...all))
}

function selfSigned(privateKey: KeyObject, publicKey: Buffer, now: Date): string {
  const algorithm = sequence(oid(OID.ecdsaWithSha256))
  const serial = randomBytes(16)
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40 // positive, and without a leading zero
  const notBefore = new Date(now.getTime() - DAY_MS)
  const validity = sequence(utcTime(notBefore), utcTime(new Date(now.getTime() + LIFETIME_DAYS * DAY_MS)))
  const version3 = der(0xa0, der(0x02, Buffer.from([2])))
  const body = sequence(version3, der(0x02, serial), algorithm, name(), validity, name(), publicKey, extensions())
  const certificate = sequence(body, algorithm, bits(0, sign('sha256', body, privateKey)))
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}

function stillGood({ key, certificate }: Certificate, now: Date): boolean {
  const parsed = new X509Certificate(certificate)
  const left = Date.parse(parsed.validTo) - now.getTime()
  return left > 30 * DAY_MS && parsed.checkPrivateKey(createPrivateKey(key))
}

/**
 * Loads the certificate from a file; creates one if it is absent or close to expiry. kubectl sends tokens over TLS only,
 * so the server needs a certificate on loopback too. Node can read certificates, but not create them.
 */
export function loadCertificate(file: string, now: Date): Certificate {
  if (existsSync(file)) {
    const kept = readKept(file)
    if (stillGood(kept, now)) return kept
  }
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' })
  const certificate = selfSigned(privateKey, publicKey.export({ type: 'spki', format: 'der' }), now)
  const made = { key, certificate }
  writeFileSync(file, JSON.stringify(made), { mode: 0o600 })
  return made
}

function readKept(file: string): Certificate {
  const text = readFileSync(file, 'utf8')
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(`${file} is not JSON; remove it to get a new serving certificate`)
  }
}
