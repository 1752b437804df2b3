import { defineStored } from '#core/http/store/declared/stored-resource.ts'
import { asObject, isObject } from '#core/json/is-object.ts'
import { storeCrud } from '#core/plugin/store-crud.ts'
import { demand, demandDomain } from './demand.ts'

/** A resource in the store: names, schemas, tables, events and errors. */
export const checkedStored: typeof defineStored = (spec) => {
  const given: unknown = spec
  demand(
    isObject(given),
    'defineStored: the argument must be { domain, plugin, kind, plural, description, fields, sample }',
  )
  for (const field of ['domain', 'plugin', 'kind', 'plural', 'description'])
    demand(typeof given[field] === 'string' && given[field] !== '', `defineStored: ${field} must be a string`)
  demandDomain(String(given.domain))
  demand(asObject(given.fields).type === 'object', 'defineStored: fields must be a Type.Object({...})')
  demand(isObject(given.sample), 'defineStored: sample must be the fields of a valid object')
  return defineStored(spec)
}

/** The slot of a stored resource, with its routes and rights. */
export const checkedStoreCrud: typeof storeCrud = (resource, options) => {
  demand(isObject(resource) && isObject(resource.names), 'storeCrud: the first argument must be of defineStored({...})')
  demand(options === undefined || isObject(options), 'storeCrud: the second argument must be options, such as { path }')
  return storeCrud(resource, options)
}
