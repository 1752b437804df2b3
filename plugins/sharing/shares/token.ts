import { createHash, randomBytes } from 'node:crypto'

const RANDOM_BYTES = 32
const pattern = /^mshr_[A-Za-z0-9_-]{43}$/

/** A new token: `mshr_` and 32 random bytes as base64url (S1). */
export function createToken(): string {
  return `mshr_${randomBytes(RANDOM_BYTES).toString('base64url')}`
}

/** SHA-256 of a token, the only form in which it is stored; undefined for a string that is not a token. */
export function hashToken(text: string): Buffer | undefined {
  return pattern.test(text) ? createHash('sha256').update(text).digest() : undefined
}
