import { isObject } from '#core/json/is-object.ts'
import { pointerToken } from '#schemas/values/json-pointer.ts'
import type { ConfigProblem, EvaluatorConfig } from '../contract/points.ts'

// A name is of any length.
const MAX_SHOWN_NAME = 64

/** Validates one field of a config; undefined if it is valid. */
export type FieldCheck = (value: unknown) => string | undefined

/** Finds unknown, missing and invalid fields of a config. A field with `?` at its end is optional. */
export function checkFields(
  config: EvaluatorConfig,
  fields: Readonly<Record<string, FieldCheck>>,
): readonly ConfigProblem[] {
  const named = new Map(Object.entries(fields).map(([name, check]) => [name.replace(/\?$/, ''), check]))
  const unknown = Object.keys(config)
    .filter((name) => !named.has(name))
    .slice(0, 1)
    .map((name) => ({
      pointer: `/${pointerToken(name.slice(0, MAX_SHOWN_NAME))}`,
      detail: `is not a known field; known: ${[...named.keys()].join(', ')}`,
    }))
  const wrong = Object.entries(fields).flatMap(([given, check]) => {
    const name = given.replace(/\?$/, '')
    const value = Object.hasOwn(config, name) ? config[name] : undefined
    if (value === undefined) return given.endsWith('?') ? [] : [{ pointer: `/${name}`, detail: 'is required' }]
    const detail = check(value)
    return detail === undefined ? [] : [{ pointer: `/${name}`, detail }]
  })
  return [...unknown, ...wrong]
}

/** A string of bounded length. */
export function boundedText(most: number): FieldCheck {
  return (value) =>
    typeof value === 'string' && value.length > 0 && value.length <= most
      ? undefined
      : `must be a string of 1 to ${most} characters`
}

/** A list of strings of bounded length. */
export function textList(most: { readonly items: number; readonly length: number }): FieldCheck {
  const check = boundedText(most.length)
  return (value) =>
    Array.isArray(value) && value.length > 0 && value.length <= most.items && value.every((one) => !check(one))
      ? undefined
      : `must be a list of 1 to ${most.items} strings of 1 to ${most.length} characters`
}

/** `true` or `false`. */
export const isBoolean: FieldCheck = (value) => (typeof value === 'boolean' ? undefined : 'must be true or false')

/** One of a list of strings. */
export function choiceOf(values: readonly string[]): FieldCheck {
  return (value) =>
    typeof value === 'string' && values.includes(value) ? undefined : `must be one of ${values.join(', ')}`
}

/** The text of an output or of an expected value: a string as it is, an object's `text` or `output`, else its JSON. */
export function outputText(value: unknown): string {
  if (typeof value === 'string') return value
  for (const name of ['text', 'output'])
    if (isObject(value) && typeof value[name] === 'string' && Object.keys(value).length === 1) return value[name]
  return JSON.stringify(value ?? null)
}
