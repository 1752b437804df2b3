import { part } from '../json/kube-object.ts'
import type { KubeObject } from '../json/kube-object.ts'
import { invalidValue } from '../json/status.ts'
import type { Cause } from '../json/status.ts'

const KEY = /^[-._a-zA-Z0-9]+$/
const KEY_TEXT =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
const KEY_LENGTH = 253
const DATA_BYTES = 1 << 20

/** Faults of a key of a ConfigMap or Secret: volumes have a file of that name (SEC11). */
function keyFaults(key: string): string[] {
  const faults = Buffer.byteLength(key) > KEY_LENGTH ? [`must be no more than ${KEY_LENGTH} characters`] : []
  if (!KEY.test(key)) faults.push(KEY_TEXT)
  if (key === '.' || key === '..') faults.push(`must not be '${key}'`)
  else if (key.startsWith('..')) faults.push("must not start with '..'")
  return faults
}

const tooLong = (field: string): Cause => ({
  reason: 'FieldValueTooLong',
  message: `Too long: may not be more than ${DATA_BYTES} bytes`,
  field,
})

const causesOf = (object: KubeObject, field: string): Cause[] =>
  Object.keys(part(object, field)).flatMap((key) =>
    keyFaults(key).map((why) => invalidValue(`${field}[${key}]`, key, why)),
  )

const textBytes = (object: KubeObject, field: string): number =>
  Object.values(part(object, field)).reduce<number>((sum, value) => sum + Buffer.byteLength(String(value)), 0)

const base64Bytes = (object: KubeObject, field: string): number =>
  Object.values(part(object, field)).reduce<number>((sum, value) => sum + Buffer.byteLength(String(value), 'base64'), 0)

/** Faults of the keys and the size of a ConfigMap. */
export function configMapFaults(object: KubeObject): Cause[] {
  const binary = part(object, 'binaryData')
  const twice = Object.keys(part(object, 'data'))
    .filter((key) => Object.hasOwn(binary, key))
    .map((key) => invalidValue(`data[${key}]`, key, 'duplicate of key present in binaryData'))
  const bytes = textBytes(object, 'data') + base64Bytes(object, 'binaryData')
  const long = bytes > DATA_BYTES ? [tooLong('[]')] : []
  return [...causesOf(object, 'data'), ...twice, ...causesOf(object, 'binaryData'), ...long]
}

/** Faults of the keys and the size of a Secret. */
export function secretFaults(object: KubeObject): Cause[] {
  return [...causesOf(object, 'data'), ...(base64Bytes(object, 'data') > DATA_BYTES ? [tooLong('data')] : [])]
}
