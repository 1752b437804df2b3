import type { TSchema } from 'typebox'
import { parseLabel, parseName } from '#core/kube/names.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { readValue } from './query.ts'
import { checkOf } from '#core/validation/validate.ts'

/** Reads the path parameters of an endpoint. Throws `InvalidName` or `malformed_request`. */
export type ParamsReader = (raw: Readonly<Record<string, string>>) => Readonly<Record<string, unknown>>

// K5: parsed first, in any position.
const names: Readonly<Record<string, (field: string, text: string) => string>> = {
  ns: parseLabel,
  namespace: parseLabel,
  name: parseName,
}

/** Creates a reader of path parameters. Each must be a Kubernetes name or have a schema. */
export function paramsReader(url: string, schema: TSchema | undefined): ParamsReader {
  const properties = schemaProperties(schema)
  const declared = paramNames(url)
  const unread = declared.filter((name) => !(name in names) && !properties.has(name))
  if (unread.length > 0) throw new TypeError(`${url}: no schema for the path parameter ${unread.join(', ')}`)
  const checks = new Map([...properties].map(([name, property]) => [name, checkOf(property)]))
  return (raw) => {
    const params: Record<string, unknown> = {}
    for (const field of declared) {
      const text = raw[field] ?? ''
      const parsed = names[field]?.(field, text) ?? text
      const property = properties.get(field)
      const value = property === undefined ? parsed : readValue(`:${field}`, parsed, property, 'malformed_request')
      const [error] = checks.get(field)?.(value) ?? []
      if (error !== undefined)
        throw new Fail('malformed_request', undefined, { errors: [{ pointer: `:${field}`, detail: error.detail }] })
      params[field] = value
    }
    return params
  }
}

/** Names of the parameters of a path; `*` is the rest of a path that ends with it. */
export function paramNames(url: string): readonly string[] {
  const found = [...url.matchAll(/:([A-Za-z]+)/g)].map(([, name = '']) => name)
  return url.endsWith('/*') ? [...found, '*'] : found
}

function schemaProperties(schema: TSchema | undefined): ReadonlyMap<string, TSchema> {
  const found = schema !== undefined && 'properties' in schema ? schema.properties : undefined
  return new Map(typeof found === 'object' && found !== null ? Object.entries(found as Record<string, TSchema>) : [])
}
