import { isObject } from '#core/json/is-object.ts'
import { isEqualWithin } from './is-equal-within.ts'
import type { Keyword } from './keyword.ts'
import { limitKeywords } from './limit-keywords.ts'
import { listKeywords } from './list-keywords.ts'
import { objectKeywords } from './object-keywords.ts'
import { allFit, oneFits, opposite, someFits } from './verdict.ts'
import type { SchemaVerdict } from './verdict.ts'

const always: Keyword = () => true

// These keywords say nothing about the value, or are read by another keyword.
const silent = [
  '$schema',
  '$id',
  '$comment',
  '$anchor',
  '$defs',
  'definitions',
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
  'then',
  'else',
]

/**
 * Keywords that are interpreted. Others, such as `pattern` and `format`, would run an expression of the server, compare all items with one
 * another, or need the state of other keywords. No value is refused by one of them.
 */
export const keywords: Readonly<Record<string, Keyword>> = {
  ...Object.fromEntries(silent.map((name) => [name, always])),
  ...limitKeywords,
  ...listKeywords,
  ...objectKeywords,
  $ref: ({ given, refer }) => refer(given),
  type: ({ value, given, spend }) => {
    const named = Array.isArray(given) ? given : [given]
    spend(named.length)
    return someFits(named, (type) => isOfType(value, type))
  },
  enum: ({ value, given, spend }) =>
    Array.isArray(given) ? given.some((one) => isEqualWithin(value, one, spend)) : undefined,
  const: ({ value, given, spend }) => isEqualWithin(value, given, spend),
  allOf: ({ value, given, judge }) => (Array.isArray(given) ? allFit(given, (one) => judge(value, one)) : undefined),
  anyOf: ({ value, given, judge }) => (Array.isArray(given) ? someFits(given, (one) => judge(value, one)) : undefined),
  oneOf: ({ value, given, judge }) => (Array.isArray(given) ? oneFits(given, (one) => judge(value, one)) : undefined),
  not: ({ value, given, judge }) => opposite(judge(value, given)),
  if: ({ value, given, schema, judge }) => {
    const isSo = judge(value, given)
    if (isSo === undefined) return undefined
    const branch = isSo ? 'then' : 'else'
    return Object.hasOwn(schema, branch) ? judge(value, schema[branch]) : true
  },
}

function isOfType(value: unknown, type: unknown): SchemaVerdict {
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isObject(value)
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'string' || type === 'number' || type === 'boolean') return typeof value === type
  return undefined
}
