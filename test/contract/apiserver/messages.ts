import { isObject } from '#core/json/is-object.ts'

type Fields = { [key: string]: unknown }

/** Messages of kubectl for common refusals. Operators search for these words, so they are compared. */
const common: readonly RegExp[] = [
  / not found$/,
  / already exists$/,
  / is forbidden: /,
  /^forbidden: User /,
  /^Unauthorized$/,
  /the object has been modified; please apply your changes to the latest version and try again$/,
  /^Apply failed with /,
  /^the server could not find the requested resource$/,
  /^the server does not allow this method on the requested resource$/,
  /: unknown field "[^"]*"(?:, unknown field "[^"]*")*$/,
]

/** Reasons of causes whose message is compared: it names the violated rule without the object. */
const commonCauses = new Set([
  'FieldValueRequired',
  'FieldValueNotSupported',
  'FieldValueDuplicate',
  'FieldValueTypeInvalid',
  'FieldManagerConflict',
  'NamespaceTerminating',
])

/** Names and labels are refused frequently, so their rule is compared as well. */
const namedFields = /^metadata\.(?:name|generateName|labels)$/

const OTHER = 'a message that is not compared'

/**
 * Returns a Status with the compared messages only. Other messages may differ in wording, but must be present on both servers or on
 * neither.
 */
export function comparedMessages(status: Fields): Fields {
  const { message, details, reason } = status
  if (typeof message !== 'string' || status['status'] !== 'Failure') return status
  if (!isObject(details) || !Array.isArray(details['causes'])) return { ...status, message: compared(message) }
  // The real server validates some objects more than once and repeats the causes.
  const causes = distinct(details['causes'].filter(isObject)).map(comparedCause).toSorted(byContent)
  const shown = reason === 'Invalid' ? headOf(message) : causes.length > 1 ? OTHER : compared(message)
  return { ...status, message: shown, details: { ...details, causes } }
}

function compared(message: string): string {
  return common.some((pattern) => pattern.test(message)) ? message : OTHER
}

// The rest of the message of an invalid object repeats its causes.
function headOf(message: string): string {
  return message.split(/(?<=is invalid: )/)[0] ?? ''
}

function comparedCause(cause: Fields): Fields {
  const { reason, field, message } = cause
  const kept = commonCauses.has(String(reason)) || namedFields.test(String(field))
  return kept || message === undefined ? cause : { ...cause, message: OTHER }
}

function distinct(causes: readonly Fields[]): Fields[] {
  return [...new Map(causes.map((cause) => [JSON.stringify(cause), cause])).values()]
}

// The order of causes depends on Go maps and on messages that are not compared.
function byContent(a: Fields, b: Fields): number {
  const [left, right] = [a, b].map((cause) => `${String(cause['field'])} ${JSON.stringify(cause)}`)
  return (left ?? '') < (right ?? '') ? -1 : 1
}
