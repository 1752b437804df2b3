import { invalidValue } from '../json/status.ts'
import type { Cause } from '../json/status.ts'

/** Validation of an object's name: a DNS subdomain, a DNS label, or a path segment. */
export type NameRule = 'subdomain' | 'label' | 'path'

const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
const QUALIFIED = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/
const LABEL_VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/

const SUBDOMAIN_TEXT =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const LABEL_TEXT =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
const QUALIFIED_TEXT =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
const LABEL_KEY_TEXT = `${QUALIFIED_TEXT.replace('name part', 'a valid label key')} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`
const VALUE_TEXT =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"

/** Reports an excessive length: names are counted in characters, labels and their keys in bytes. */
const tooLong = (text: string, most: number, unit: 'characters' | 'bytes' = 'bytes'): string[] =>
  Buffer.byteLength(text) > most ? [`must be no more than ${most} ${unit}`] : []

/** Why a name is refused by its kind's rule; empty if it is valid. */
export function nameFaults(name: string, rule: NameRule): string[] {
  if (rule === 'path') return pathFaults(name)
  const [most, pattern, text] =
    rule === 'subdomain' ? ([253, SUBDOMAIN, SUBDOMAIN_TEXT] as const) : ([63, LABEL, LABEL_TEXT] as const)
  return [...(pattern.test(name) ? [] : [text]), ...tooLong(name, most, 'characters')]
}

const LABEL_1035 = /^[a-z]([-a-z0-9]*[a-z0-9])?$/
const LABEL_1035_TEXT =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"

/** Why a DNS-1035 label is refused: names of kinds, versions and services; empty if it is valid. */
export const labelFaults1035 = (name: string): string[] => [
  ...(LABEL_1035.test(name) ? [] : [LABEL_1035_TEXT]),
  ...tooLong(name, 63, 'characters'),
]

/** Reports what no name in a path may be or contain. */
export function pathFaults(name: string): string[] {
  if (name === '.' || name === '..') return [`may not be '${name}'`]
  return ['/', '%'].filter((character) => name.includes(character)).map((character) => `may not contain '${character}'`)
}

/** Why the key of a label, or a string of the same form, is refused; empty if it is valid. */
export function qualifiedNameFaults(name: string): string[] {
  const [first = '', second, ...more] = name.split('/')
  if (more.length > 0) return [LABEL_KEY_TEXT]
  const prefix = second === undefined ? undefined : first
  const base = second ?? first
  const faults: string[] = []
  if (prefix === '') faults.push('prefix part must be non-empty')
  else if (prefix !== undefined)
    faults.push(
      ...[...tooLong(prefix, 253), ...(SUBDOMAIN.test(prefix) ? [] : [SUBDOMAIN_TEXT])].map(
        (why) => `prefix part ${why}`,
      ),
    )
  if (base === '') faults.push('name part must be non-empty')
  faults.push(...tooLong(base, 63).map((why) => `name part ${why}`))
  if (!QUALIFIED.test(base)) faults.push(QUALIFIED_TEXT)
  return faults
}

/** Why the keys of a map of metadata, or of a map of the same form, are refused. */
export function keyFaults(field: string, keys: readonly string[]): Cause[] {
  return keys.flatMap((key) => qualifiedNameFaults(key).map((fault) => invalidValue(field, key, fault)))
}

/** Why the value of a label is refused; empty if it is valid. */
export const valueFaults = (value: string): string[] => [
  ...tooLong(value, 63),
  ...(LABEL_VALUE.test(value) ? [] : [VALUE_TEXT]),
]

/** The faults of a label's value as those of a field. */
export const labelValueFaults = (value: string, field: string): Cause[] =>
  valueFaults(value).map((why) => invalidValue(field, value, why))
