import { badRequest } from '../json/api-error.ts'
import type { Json } from '../json/json-value.ts'
import type { KubeObject } from '../json/kube-object.ts'
import { qualifiedNameFaults, valueFaults } from './names.ts'

/** True for an object that the selector of a list or watch matches. */
export type Match = (object: KubeObject) => boolean

const TOKEN = /\s*(==|!=|[=!<>(),]|[^\s=!<>(),]+)/y

function tokenize(text: string): string[] {
  const tokens: string[] = []
  TOKEN.lastIndex = 0
  for (let found = TOKEN.exec(text); found; found = TOKEN.exec(text)) tokens.push(found[1] ?? '')
  return tokens
}

const unparsed = (why: string) => badRequest(`unable to parse requirement: ${why}`)

/** Parses a label selector with all operators; a malformed one is a 400 with kube-apiserver's message. */
export function parseLabelSelector(text: string | null): Match | undefined {
  const tokens = tokenize(text ?? '')
  if (tokens.length === 0) return undefined
  let at = 0
  const peek = () => tokens[at] ?? ''
  const next = () => tokens[at++] ?? ''
  const requirements: Match[] = []
  for (;;) {
    requirements.push(parseRequirement(next, peek))
    const separator = next()
    if (separator === '') break
    if (separator !== ',') throw badRequest(`found '${separator}', expected: ',' or 'end of string'`)
    if (peek() === '') throw badRequest(`found '', expected: identifier after ','`)
  }
  return (object) => requirements.every((matches) => matches(object))
}

function parseRequirement(next: () => string, peek: () => string): Match {
  const negated = peek() === '!'
  if (negated) next()
  const key = next()
  if (/^[=!<>(),]/.test(key) || key === '') throw unparsed(`found '${key}', expected: identifier`)
  refuse('<nil>', key, qualifiedNameFaults(key))
  const value = (object: KubeObject) => object.metadata.labels?.[key]
  if (peek() === '' || peek() === ',') return (object) => (value(object) === undefined) === negated
  if (negated) throw badRequest(`found '${peek()}', expected: ',' or 'end of string'`)
  const operator = next()
  if (operator === 'in' || operator === 'notin') {
    const wanted = parseValues(key, next, peek)
    return operator === 'in'
      ? (object) => wanted.has(value(object) ?? '\0')
      : (object) => !wanted.has(value(object) ?? '\0')
  }
  if (!['=', '==', '!=', '<', '>'].includes(operator)) {
    throw unparsed(`found '${operator}', expected: in, notin, =, ==, !=, gt, lt`)
  }
  const wanted = peek() === '' || peek() === ',' ? '' : next()
  refuse(`values[0][${key}]`, wanted, valueFaults(wanted))
  if (operator === '!=') return (object) => value(object) !== wanted
  if (operator === '<' || operator === '>') return compare(key, operator, wanted)
  return (object) => value(object) === wanted
}

function compare(key: string, operator: '<' | '>', wanted: string): Match {
  if (!/^[-+]?\d+$/.test(wanted)) {
    throw unparsed(
      `values[0][${key}]: Invalid value: ${JSON.stringify(wanted)}: for 'Gt', 'Lt' operators, the value must be an integer`,
    )
  }
  return (object) => {
    const actual = object.metadata.labels?.[key]
    if (actual === undefined || !/^[-+]?\d+$/.test(actual)) return false
    return operator === '<' ? Number(actual) < Number(wanted) : Number(actual) > Number(wanted)
  }
}

function parseValues(key: string, next: () => string, peek: () => string): Set<string> {
  const open = next()
  if (open !== '(') throw unparsed(`found '${open}' expected: '('`)
  const values = new Set<string>()
  for (;;) {
    values.add(/^[,)]?$/.test(peek()) ? '' : next())
    const separator = next()
    if (separator === ')') break
    if (separator !== ',') throw unparsed(`found '${separator}', expected: ',' or ')'`)
  }
  for (const [i, value] of [...values].sort().entries()) refuse(`values[${i}][${key}]`, value, valueFaults(value))
  return values
}

function refuse(where: string, text: string, faults: readonly string[]): void {
  if (faults.length > 0) throw unparsed(`${where}: Invalid value: ${JSON.stringify(text)}: ${faults.join('; ')}`)
}

/** A field of a field selector: where its value is, as a string. */
export type SelectableFields = { readonly [label: string]: (object: KubeObject) => string }

/** Reads a dotted path as a field selector does: an absent field is the empty string. */
export function fieldAt(path: string): (object: KubeObject) => string {
  const keys = path.split('.')
  return (object) => {
    let value: Json | undefined = object
    for (const key of keys) {
      value = typeof value === 'object' && value !== null && !Array.isArray(value) ? value[key] : undefined
    }
    return value === undefined || value === null || typeof value === 'object' ? '' : String(value)
  }
}

interface FieldTerm {
  readonly label: string
  readonly operator: string
  readonly wanted: string
}

/** The terms of a field selector, regardless of the fields they name. */
export function splitFieldSelector(text: string | null): FieldTerm[] {
  const terms = (text ?? '').split(/(?<!\\),/).filter((term) => term !== '')
  return terms.map((term) => {
    const found = /^((?:\\.|[^=!\\])*)(==|!=|=)(.*)$/s.exec(term)
    if (!found) throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`)
    const [, label = '', operator = '', escaped = ''] = found
    return { label, operator, wanted: escaped.replace(/\\([\\,=])/g, '$1') }
  })
}

/** A field selector over the fields a kind offers. */
export function matchFields(
  terms: readonly FieldTerm[],
  {
    custom,
    namespaced,
    group,
    kind,
    rules: { fields },
  }: { custom: boolean; namespaced: boolean; group: string; kind: string; rules: { fields: SelectableFields } },
): Match | undefined {
  if (terms.length === 0) return undefined
  const matches = terms.map(({ label, operator, wanted }): Match => {
    const read = Object.hasOwn(fields, label) ? fields[label] : undefined
    // Kinds without selectable fields of their own share one function in kube-apiserver, which has its own message.
    const plain = !custom && Object.keys(fields).length === 2
    if (!read && plain) {
      throw badRequest(`"${label}" is not a known field selector: only "metadata.name", "metadata.namespace"`)
    }
    if (!read || (custom && !namespaced && label === 'metadata.namespace')) {
      throw badRequest(
        group === 'batch'
          ? `field label ${JSON.stringify(label)} not supported for ${kind}`
          : `field label not supported: ${label}`,
      )
    }
    return operator === '!=' ? (object) => read(object) !== wanted : (object) => read(object) === wanted
  })
  return (object) => matches.every((match) => match(object))
}
