import { createHash, timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { conceal } from '#core/log/secrets.ts'

const form = /^[A-Za-z0-9\-._~+/]{32,4096}=*$/

/** Reads the bearer token of the webhook. Throws if the file is missing or has no token of 32 characters; the error omits the content. */
export function readWebhookToken(file: string): string {
  const token = read(file).trim()
  if (!form.test(token))
    throw new Error(`audit.webhookTokenFile ${file}: must hold a bearer token of at least 32 characters`)
  conceal(token)
  return token
}

/** Compares two tokens in constant time. */
export function isSameToken(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected))
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    throw new Error(`audit.webhookTokenFile ${file}: cannot be read (${code})`, { cause: error })
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
