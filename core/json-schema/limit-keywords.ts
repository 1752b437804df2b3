import { isObject } from '#core/json/is-object.ts'
import type { Keyword } from './keyword.ts'
import { stepsOf } from './steps.ts'
import type { Spend } from './steps.ts'

type Measure = (value: unknown, spend: Spend) => number | undefined
type Compare = (measured: number, limit: number) => boolean

const atLeast: Compare = (measured, limit) => measured >= limit
const atMost: Compare = (measured, limit) => measured <= limit

const number: Measure = (value) => (typeof value === 'number' ? value : undefined)
const items: Measure = (value) => (Array.isArray(value) ? value.length : undefined)

const fields: Measure = (value, spend) => {
  if (!isObject(value)) return undefined
  const { length } = Object.keys(value)
  spend(length)
  return length
}

// Counts code points without building a list of them.
const characters: Measure = (value, spend) => {
  if (typeof value !== 'string') return undefined
  spend(stepsOf(value))
  let count = 0
  for (let index = 0; index < value.length; index += (value.codePointAt(index) ?? 0) > 0xff_ff ? 2 : 1) count += 1
  return count
}

/** Keywords that compare a number of the value with a limit. */
export const limitKeywords: Readonly<Record<string, Keyword>> = {
  minimum: limitBy(number, atLeast),
  maximum: limitBy(number, atMost),
  exclusiveMinimum: limitBy(number, (measured, bound) => measured > bound),
  exclusiveMaximum: limitBy(number, (measured, bound) => measured < bound),
  minItems: limitBy(items, atLeast),
  maxItems: limitBy(items, atMost),
  minProperties: limitBy(fields, atLeast),
  maxProperties: limitBy(fields, atMost),
  minLength: limitBy(characters, atLeast),
  maxLength: limitBy(characters, atMost),
}

function limitBy(measure: Measure, compare: Compare): Keyword {
  return ({ value, given, spend }) => {
    if (typeof given !== 'number') return undefined
    const measured = measure(value, spend)
    return measured === undefined || compare(measured, given)
  }
}
