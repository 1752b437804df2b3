import { asObject, isObject } from '#core/json/is-object.ts'
import type { Keyword } from './keyword.ts'
import { allFit } from './verdict.ts'

/** Keywords about the fields of objects. */
export const objectKeywords: Readonly<Record<string, Keyword>> = {
  properties: ({ value, given, judge, spend }) => {
    if (!isObject(given)) return undefined
    if (!isObject(value)) return true
    const names = Object.keys(given)
    spend(names.length)
    return allFit(names, (name) => !Object.hasOwn(value, name) || judge(value[name], given[name]))
  },
  required: ({ value, given, spend }) => {
    if (!Array.isArray(given)) return undefined
    spend(given.length)
    return !isObject(value) || given.every((name) => typeof name !== 'string' || Object.hasOwn(value, name))
  },
  additionalProperties: ({ value, given, schema, judge, spend }) => {
    if (!isObject(value)) return true
    // `patternProperties` would define which fields are additional.
    if (Object.hasOwn(schema, 'patternProperties')) return undefined
    const known = asObject(schema['properties'])
    const names = Object.keys(value)
    spend(names.length)
    return allFit(names, (name) => Object.hasOwn(known, name) || judge(value[name], given))
  },
  propertyNames: ({ value, given, judge, spend }) => {
    if (!isObject(value)) return true
    const names = Object.keys(value)
    spend(names.length)
    return allFit(names, (name) => judge(name, given))
  },
  dependentRequired: ({ value, given, spend }) => {
    if (!isObject(given)) return undefined
    if (!isObject(value)) return true
    const names = Object.keys(given)
    spend(names.length)
    return allFit(names, (name) => {
      if (!Object.hasOwn(value, name)) return true
      const required = given[name]
      if (!Array.isArray(required)) return undefined
      spend(required.length)
      return required.every((one) => typeof one !== 'string' || Object.hasOwn(value, one))
    })
  },
}
