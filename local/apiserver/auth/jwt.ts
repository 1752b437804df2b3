import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { isObject } from '../json/json-value.ts'
import type { Json, JsonObject } from '../json/json-value.ts'

/** The issuer's key pair: ES256, kept in one PEM file. */
export interface IssuerKey {
  readonly id: string
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

/** Reads the issuer's key, or creates one with mode 0600; never overwrites a file. */
export function loadIssuerKey(file: string): IssuerKey {
  const pem = readIfThere(file) ?? createKeyFile(file)
  const privateKey = parseKey(file, pem)
  const publicKey = createPublicKey(privateKey)
  const { x } = publicKey.export({ format: 'jwk' })
  return { id: (x ?? '').slice(0, 16), privateKey, publicKey }
}

// The messages of OpenSSL do not name the file.
function parseKey(file: string, pem: string): KeyObject {
  const advice = 'restore the file, or remove it: service account tokens that were issued become invalid'
  try {
    const key = createPrivateKey(pem)
    if (key.asymmetricKeyDetails?.namedCurve === 'prime256v1') return key
  } catch {
    throw new Error(`${file} is not a private key in PEM; ${advice}`)
  }
  throw new Error(`${file} is not a P-256 key; ${advice}`)
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

function createKeyFile(file: string): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  writeFileSync(file, pem, { mode: 0o600, flag: 'wx' })
  return pem
}

const encode = (value: Json) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Signs claims as a compact JWS (ES256). */
export function signToken(claims: JsonObject, key: IssuerKey): string {
  const signed = `${encode({ alg: 'ES256', kid: key.id })}.${encode(claims)}`
  const signature = sign('sha256', Buffer.from(signed), { key: key.privateKey, dsaEncoding: 'ieee-p1363' })
  return `${signed}.${signature.toString('base64url')}`
}

/** The claims of a token that this key signed with ES256; undefined for any other token. */
export function verifyToken(token: string, key: IssuerKey): JsonObject | undefined {
  const [header, body, signature, ...rest] = token.split('.')
  if (!header || !body || !signature || rest.length > 0) return undefined
  const parsed = parse(header)
  if (parsed?.['alg'] !== 'ES256' || parsed['kid'] !== key.id) return undefined
  const options = { key: key.publicKey, dsaEncoding: 'ieee-p1363' } as const
  const genuine = verify('sha256', Buffer.from(`${header}.${body}`), options, Buffer.from(signature, 'base64url'))
  return genuine ? parse(body) : undefined
}

function parse(part: string): JsonObject | undefined {
  try {
    const value: Json = JSON.parse(Buffer.from(part, 'base64url').toString())
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
