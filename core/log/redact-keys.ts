import { REDACTED } from './secrets.ts'

const secretKey =
  /^(?:authorization|cookie|set-cookie|.*(?:password|passwd|secret|bearer|credential|private_?key|api_?key)s?|(?:access|refresh|id|session|share|attempt)?_?-?tokens?|kek|prompt|messages?_?content|tool_?arguments?)$/i

const MAX_DEPTH = 8

/** Copies log fields without the values of keys that name a secret or content of a run. */
export function redactKeys(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint' ? String(value) : value
  if (value instanceof Error) return { name: value.name, message: value.message }
  if (value instanceof Date) return value.toISOString()
  if (depth >= MAX_DEPTH || Buffer.isBuffer(value)) return '[omitted]'
  if (Array.isArray(value)) return value.map((item) => redactKeys(item, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, secretKey.test(key) ? REDACTED : redactKeys(item, depth + 1)]),
  )
}
