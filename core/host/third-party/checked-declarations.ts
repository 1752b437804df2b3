import type { Static, TSchema } from 'typebox'
import { defineErrors } from '#core/errors/define-errors.ts'
import { defineEventOf } from '#core/event-store/event.ts'
import type { EventSpec, EventType } from '#core/event-store/event.ts'
import { checkEndpoint } from '#core/http/endpoint/check-endpoint.ts'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import { resourceRoutes } from '#core/http/resource/resource-routes.ts'
import { contribute } from '#core/jobs/extension-point.ts'
import { asObject, isObject } from '#core/json/is-object.ts'
import { on } from '#core/messaging/consumer/consumer.ts'
import { crud } from '#core/plugin/crud.ts'
import { definePlugin, optional } from '#core/plugin/plugin.ts'
import { defineTask, handleTask } from '#core/tasks/task.ts'
import { checkOnce } from '#core/validation/validate.ts'
import { defineKind } from '#schemas/kinds/kind.ts'
import { markDeclaration } from '../load/plugin-error.ts'
import { demand, demandDomain, isNamed } from './demand.ts'

// Untyped code may omit arguments, and their use would fail far from the call with an error of core.

/** `definePlugin` that remembers the position of its call, for messages. */
export const checkedPlugin: typeof definePlugin = (plugin) => {
  demand(isObject(plugin), 'definePlugin: the argument must be { contract: 1, name, settings, create }')
  const declared = definePlugin(plugin)
  markDeclaration(declared)
  return declared
}

export const checkedOptional: typeof optional = (plugin) => {
  demand(isObject(plugin), "optional: the argument must be a plugin, such as need('runs')")
  return optional(plugin)
}

export const checkedContribute: typeof contribute = (point, value) => {
  demand(isNamed(point), "contribute: the first argument must be a point, such as point('agents.requirement')")
  return contribute(point, value)
}

type OwnEventSpec<S extends TSchema> = EventSpec<S> & { readonly domain: string }

/** Declares an event of a third party: `<domain>.<plugin>.<fact>.v<version>`, with the domain in reverse DNS form (`com.acme`). */
export function checkedEvent<S extends TSchema>(spec: OwnEventSpec<S>): EventType<Static<S>> {
  const given: unknown = spec
  demand(isObject(given), "defineEvent: the argument must be { domain: 'com.acme', plugin, fact, summary, data }")
  for (const field of ['domain', 'plugin', 'fact', 'summary'])
    demand(typeof given[field] === 'string', `defineEvent: ${field} must be a string`)
  demand(isObject(given.data), 'defineEvent: data must be a schema, such as Type.Object({})')
  demandDomain(spec.domain)
  return defineEventOf(spec.domain, spec)
}

export const checkedErrors: typeof defineErrors = (specs) => {
  const given: unknown = specs
  demand(
    isObject(given) && Object.values(given).every(isObject),
    "defineErrors: the argument must be { some_code: { status: 409, title: 'The meaning.' } }",
  )
  return defineErrors(specs)
}

export const checkedOn: typeof on = (name, types, options, handle) => {
  demand(typeof name === 'string', 'on: the first argument must be the name of the consumer')
  const isList = Array.isArray(types) && types.every((type: unknown) => isObject(type) && typeof type.type === 'string')
  demand(types === 'all' || isList, `on ${name}: the second argument must be a list of event types, or 'all'`)
  demand(isObject(options), `on ${name}: the third argument must be { order, from }`)
  demand(typeof handle === 'function', `on ${name}: the fourth argument must be a function`)
  return on(name, types, options, handle)
}

export const checkedTask: typeof defineTask = (spec) => {
  demand(isObject(spec), "defineTask: the argument must be { name: 'acme.deliver', payload: Type.Object({}) }")
  return defineTask(spec)
}

export const checkedHandler: typeof handleTask = (type, handle) => {
  demand(isNamed(type), 'handleTask: the first argument must be a task declared by defineTask')
  demand(typeof handle === 'function', `handleTask ${type.name}: the second argument must be a function`)
  return handleTask(type, handle)
}

// Checked again when it is mounted; here an error has the position of the declaration.
export const checkedEndpoint: typeof endpoint = (spec) => {
  checkEndpoint(spec)
  return endpoint(spec)
}

export const checkedKind: typeof defineKind = (spec) => {
  const given: unknown = spec
  demand(isObject(given), 'defineKind: the argument must be { group, kind, plural, description, spec }')
  const { kind, plural } = given
  for (const field of ['kind', 'plural', 'group', 'description'])
    demand(typeof given[field] === 'string' && given[field] !== '', `defineKind: ${field} is required`)
  demand(/^[A-Z][A-Za-z0-9]{0,62}$/.test(String(kind)), 'defineKind: kind must be in PascalCase')
  demand(/^[a-z][a-z0-9]{0,62}$/.test(String(plural)), 'defineKind: plural must be lowercase letters and digits')
  demand(asObject(given.spec).type === 'object', 'defineKind: spec must be a Type.Object({...})')
  const { indexed = [] } = given
  const fields = Object.keys(asObject(asObject(given.spec).properties))
  demand(
    Array.isArray(indexed) && indexed.every((field: unknown) => typeof field === 'string' && fields.includes(field)),
    `defineKind: indexed must be a list of fields of the spec (${fields.join(', ')})`,
  )
  return defineKind(spec)
}

export const checkedResourceRoutes: typeof resourceRoutes = (kind, options) => {
  demandKind('resourceRoutes', kind, options)
  return resourceRoutes(kind, options)
}

export const checkedCrud: typeof crud = (kind, options) => {
  demandKind('crud', kind, options)
  demand(isObject(options.sample), 'crud: sample must be the spec of a valid object')
  const [error] = checkOnce(kind.spec as TSchema, options.sample)
  const field = `spec${(error?.pointer ?? '').replaceAll('/', '.')}`
  demand(error === undefined, `crud: the sample of ${kind.kind}: ${field} ${error?.detail}`)
  return crud(kind, options)
}

function demandKind(helper: string, kind: unknown, options: unknown): void {
  demand(
    isObject(kind) && typeof kind.plural === 'string' && isObject(kind.spec),
    `${helper}: the first argument must be a kind of defineKind({...})`,
  )
  demand(
    isObject(options) && Array.isArray(options.verbs),
    `${helper}: the second argument must be { verbs: ['list', 'get', ...] }`,
  )
}
