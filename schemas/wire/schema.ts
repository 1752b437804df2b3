import { isObject } from '#core/json/is-object.ts'
import { MalformedValue } from './malformed-value.ts'

/** JSON Schema of a value, for the reference. */
export type JsonSchema = Readonly<Record<string, unknown>>

/**
 * A value of a request or response: its schema for the reference, and its parser. The parsers are hand-written: a schema library would double the
 * bundle of the launcher.
 */
export interface Schema<T> {
  readonly json: JsonSchema
  /** Returns the value without unknown fields. Throws `MalformedValue` with `at`, the path of the field. */
  parse(value: unknown, at: string): T
}

/** A field that may be absent. */
export interface Optional<T> extends Schema<T> {
  readonly optional: true
}

/** Type of a schema's value. */
export type Static<S> = S extends Schema<infer T> ? T : never

type Fields = Readonly<Record<string, Schema<unknown>>>
type OptionalKeys<F> = { [K in keyof F]: F[K] extends Optional<unknown> ? K : never }[keyof F]
type Flat<T> = { [K in keyof T]: T[K] }

/** Type of an object with these fields. */
export type ShapeOf<F> = Flat<
  { readonly [K in Exclude<keyof F, OptionalKeys<F>>]: Static<F[K]> } & {
    readonly [K in OptionalKeys<F>]?: Static<F[K]>
  }
>

/** Any JSON value. */
export const anyValue: Schema<unknown> = {
  json: {},
  parse: (value, at) => value ?? (value === null ? null : refuse(at, 'is missing')),
}

/** Any JSON value, undefined if absent. */
export const anyOrAbsent: Schema<unknown> = { json: {}, parse: (value) => value }

/** True or false. */
export const flag: Schema<boolean> = {
  json: { type: 'boolean' },
  parse: (value, at) => (typeof value === 'boolean' ? value : refuse(at, 'must be true or false')),
}

/** An integer of at least 0. */
export const count: Schema<number> = {
  json: { type: 'integer', minimum: 0 },
  parse: (value, at) =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : refuse(at, 'must be a count'),
}

/** An integer within a range, `least` and `most` included. `json` adds to its description, such as its default. */
export function integer(least: number, most: number, json: JsonSchema = {}): Schema<number> {
  return checked({ type: 'integer', minimum: least, maximum: most, ...json }, (value) =>
    typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most
      ? undefined
      : `must be an integer from ${least} to ${most}`,
  )
}

/** A number of at least `least`. */
export function number(least = -Infinity): Schema<number> {
  const json = { type: 'number', ...(least === -Infinity ? {} : { minimum: least }) }
  return checked(json, (value) =>
    typeof value === 'number' && value >= least
      ? undefined
      : `must be a number${least === -Infinity ? '' : ` of at least ${least}`}`,
  )
}

/** A string. `problem` returns what is wrong with a value, such as "must be a duration"; `json` expresses the same rule. */
export function string(json: JsonSchema = {}, problem: (value: string) => string | undefined = () => undefined) {
  const schema: Schema<string> = {
    json: { type: 'string', ...json },
    parse(value, at) {
      if (typeof value !== 'string') return refuse(at, problem('') ?? 'must be a string')
      const wrong = problem(value)
      return wrong === undefined ? value : refuse(at, wrong)
    },
  }
  return schema
}

/** A value of a type that `problem` checks; it returns what is wrong, such as "must be a number". */
export function checked<T>(json: JsonSchema, problem: (value: unknown) => string | undefined): Schema<T> {
  return {
    json,
    parse(value, at) {
      const wrong = problem(value)
      return wrong === undefined ? (value as T) : refuse(at, wrong)
    },
  }
}

/** One of these strings. */
export function enumOf<const V extends string>(...values: readonly V[]): Schema<V> {
  return {
    json: { enum: values },
    parse: (value, at) => values.find((one) => one === value) ?? refuse(at, `must be ${values.join(' or ')}`),
  }
}

/** Null, or a value of the schema. */
export function nullable<T>(schema: Schema<T>): Schema<T | null> {
  return {
    json: { anyOf: [schema.json, { type: 'null' }] },
    parse: (value, at) => (value === null ? null : schema.parse(value, at)),
  }
}

/** A value of the first or of the second schema. The error is that of the second schema. */
export function either<A, B>(first: Schema<A>, second: Schema<B>): Schema<A | B> {
  return {
    json: { anyOf: [first.json, second.json] },
    parse(value, at) {
      try {
        return first.parse(value, at)
      } catch (error) {
        if (error instanceof MalformedValue) return second.parse(value, at)
        throw error
      }
    },
  }
}

/** A list. `bounds` are `minItems` and `maxItems`, which the state role checks. */
export function list<T>(item: Schema<T>, bounds: JsonSchema = {}): Schema<readonly T[]> {
  return {
    json: { type: 'array', items: item.json, ...bounds },
    parse(value, at) {
      if (!Array.isArray(value)) return refuse(at, 'must be a list')
      return value.map((one, index) => item.parse(one, `${at}[${index}]`))
    },
  }
}

/** An object with fields of any name. */
export const anyObject: Schema<Readonly<Record<string, unknown>>> = {
  json: { type: 'object' },
  parse: (value, at) => (isObject(value) ? value : refuse(at, 'must be a JSON object')),
}

/** An object with these fields; other fields are refused, or dropped with `open`. */
export function object<F extends Fields>(fields: F, { open = false } = {}): Schema<ShapeOf<F>> {
  const names = Object.keys(fields)
  const required = names.filter((name) => !isOptional(fields[name]))
  return {
    json: {
      type: 'object',
      properties: Object.fromEntries(names.map((name) => [name, fields[name]?.json])),
      ...(required.length === 0 ? {} : { required }),
      ...(open ? {} : { additionalProperties: false }),
    },
    parse(value, at) {
      const given = anyObject.parse(value, at)
      const below = (name: string): string => (at === '' ? name : `${at}.${name}`)
      const unknown = open ? undefined : Object.keys(given).find((name) => !Object.hasOwn(fields, name))
      if (unknown !== undefined) refuse(below(unknown.slice(0, 64)), 'unknown field')
      const parsed: Record<string, unknown> = {}
      for (const name of names) {
        const schema = fields[name]
        const own = Object.hasOwn(given, name) ? given[name] : undefined
        if (schema === undefined || (own === undefined && isOptional(schema))) continue
        parsed[name] = schema.parse(own, below(name))
      }
      return parsed as ShapeOf<F>
    },
  }
}

/** Fields of a response. Fields of later versions are dropped. */
export function reply<F extends Fields>(fields: F): Schema<ShapeOf<F>> {
  return object(fields, { open: true })
}

/** A field that may be absent. */
export function optionalField<T>(schema: Schema<T>): Optional<T> {
  return { ...schema, optional: true }
}

/** A value whose parts are checked elsewhere, such as a recorded part or a JSON Schema of a tool: its type is declared, and `json` describes it. */
export function opaque<T>(json: JsonSchema): Schema<T> {
  return { json, parse: (value) => value as T }
}

function isOptional(schema: Schema<unknown> | undefined): boolean {
  return schema !== undefined && 'optional' in schema
}

function refuse(at: string, problem: string): never {
  throw new MalformedValue(at, problem)
}
