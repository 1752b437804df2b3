import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { compactVerify } from 'jose/jws/compact/verify'
import { SignJWT } from 'jose/jwt/sign'
import { isObject } from '../json/json-value.ts'
import type { Json, JsonObject } from '../json/json-value.ts'

/** The issuer's key pair: ES256, kept in one PEM file. */
export interface IssuerKey {
  readonly id: string
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

const ALGORITHM = 'ES256'

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
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' })
  writeFileSync(file, pem, { mode: 0o600, flag: 'wx' })
  return pem
}

/** Signs claims as a compact JWS (ES256). */
export function signToken(claims: JsonObject, key: IssuerKey): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: ALGORITHM, kid: key.id }).sign(key.privateKey)
}

/** Returns the claims of a token that this key signed with ES256; undefined for any other token. Their times are not checked. */
export async function verifyToken(token: string, key: IssuerKey): Promise<JsonObject | undefined> {
  try {
    const { payload, protectedHeader } = await compactVerify(token, key.publicKey, { algorithms: [ALGORITHM] })
    const claims: Json = JSON.parse(Buffer.from(payload).toString())
    return protectedHeader.kid === key.id && isObject(claims) ? claims : undefined
  } catch {
    // The token is of another issuer, forged, or malformed.
    return undefined
  }
}
