import { didYouMean } from '#schemas/values/nearest.ts'
import { isObject } from '#core/json/is-object.ts'
import { checkAccess, checkInformers, checkKindSlots, checkStored } from './check-slots.ts'
import { BootError } from '../load/startup-error.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'

/** Returns what a field of a plugin must be, or undefined if the given value is valid. */
type FieldCheck = (given: unknown) => string | undefined

const aFunction: FieldCheck = (given) => (typeof given === 'function' ? undefined : 'a function')
const aText: FieldCheck = (given) => (typeof given === 'string' ? undefined : 'a text')
const anObject: FieldCheck = (given) => (isObject(given) ? undefined : 'an object')
const aSchema: FieldCheck = (given) => (isObject(given) ? undefined : 'a schema, such as Type.Object({})')
const aUrl: FieldCheck = (given) =>
  given instanceof URL ? undefined : 'a URL of a folder, such as that of ./migrations/'
const listOf =
  (item: string, ...fields: readonly string[]): FieldCheck =>
  (given) => {
    const isItem = (one: unknown): boolean => isObject(one) && fields.every((field) => one[field] !== undefined)
    return Array.isArray(given) && given.every(isItem) ? undefined : `a list of ${item}`
  }

const aList: FieldCheck = (given) => (Array.isArray(given) ? undefined : 'a list')
// A separate check follows.
const checkedBelow: FieldCheck = () => undefined

/** Every field of a plugin. A slot without a line here does not compile. */
const fieldChecks: Readonly<Record<keyof AnyPlugin, FieldCheck>> = {
  contract: (given) => (given === 1 ? undefined : '1'),
  name: aText,
  summary: aText,
  needs: anObject,
  settings: aSchema,
  settingsFrom: listOf("{ from: 'VARIABLE', to: 'setting' }", 'from', 'to'),
  wiring: aFunction,
  requiredBy: aList,
  enforces: listOf("{ kind: 'AgentDeployment', field: 'guardrails' }", 'kind', 'field'),
  migrations: aUrl,
  events: listOf('defineEvent(...)', 'type', 'data'),
  kinds: checkedBelow,
  access: checkedBelow,
  stored: checkedBelow,
  informers: checkedBelow,
  requires: checkedBelow,
  keys: anObject,
  commands: aList,
  console: aList,
  errors: anObject,
  points: listOf('definePoint(...)', 'name'),
  create: aFunction,
  api: aFunction,
  system: aFunction,
  tasks: aFunction,
  projections: aFunction,
  contributions: aFunction,
  routes: aFunction,
  gatewayStores: listOf('resources, such as { group, version, plural, kind, namespaced }', 'plural', 'kind', 'version'),
  gatewayRoutes: aFunction,
  stateRoutes: aFunction,
  managerRoutes: aFunction,
  consumers: aFunction,
  jobs: aFunction,
  reconcilers: aFunction,
  close: aFunction,
}

/** Validates the value returned by a plugin's file, which may be untyped JavaScript. Throws `BootError` with the field. */
export function checkPlugin(from: string, value: unknown, known: readonly AnyPlugin[]): AnyPlugin {
  const refuse = (why: string): never => {
    throw new BootError(`plugin ${from}: ${why}`)
  }
  if (value instanceof Promise) refuse('its default export is a promise; it must be definePlugin({...}) itself')
  if (!isPlugin(value)) return refuse('its default export must be definePlugin({...}) with contract 1')
  if (!/^[a-z][a-z0-9-]{0,39}$/.test(value.name))
    refuse(`its name ${JSON.stringify(value.name.slice(0, 60))} must be lowercase letters, digits and -`)
  if (known.some(({ name }) => name === value.name)) refuse(`the name ${value.name} is taken`)
  for (const [field, given] of Object.entries(value)) checkField(field, given, refuse)
  for (const field of ['create', 'settings'] as const) checkGiven(field, value[field], refuse)
  checkNeeds(value, known, refuse)
  checkRequires(value, refuse)
  checkEvents(value, refuse)
  checkKindSlots(value.kinds, refuse)
  checkStored(value, refuse)
  checkAccess('access', value.access, refuse)
  checkInformers(value.informers, refuse)
  return value
}

type Refuse = (why: string) => never

function checkField(field: string, given: unknown, refuse: Refuse): void {
  if (!isField(field))
    return refuse(`${field.slice(0, 60)} is not a field of a plugin${didYouMean(field, Object.keys(fieldChecks))}`)
  if (given !== undefined) checkGiven(field, given, refuse)
}

function checkGiven(field: keyof AnyPlugin, given: unknown, refuse: Refuse): void {
  const wanted = fieldChecks[field](given)
  if (wanted !== undefined) refuse(`${field} must be ${wanted}`)
}

function isField(field: string): field is keyof AnyPlugin {
  return Object.hasOwn(fieldChecks, field)
}

function checkNeeds({ needs = {} }: AnyPlugin, known: readonly AnyPlugin[], refuse: Refuse): void {
  const names = known.map(({ name }) => name)
  for (const [key, need] of Object.entries<unknown>(needs)) {
    const isOptional = isObject(need) && 'optional' in need
    const plugin: unknown = isOptional ? need.optional : need
    if (!isPlugin(plugin))
      return refuse(`needs.${key} must be a plugin, such as need('runs') (there are ${names.join(', ')})`)
    if (names.includes(plugin.name)) continue
    const near = didYouMean(plugin.name, names)
    // An optional one may be absent.
    if (!isOptional || near !== '')
      refuse(`needs.${key}: unknown plugin ${JSON.stringify(plugin.name.slice(0, 60))}${near}`)
  }
}

function checkRequires({ requires = [] }: AnyPlugin, refuse: Refuse): void {
  if (!Array.isArray(requires) || requires.some((service) => service !== 'store'))
    refuse("requires must be a list; the only service that may be absent is 'store'")
}

function checkEvents({ name, events = [] }: AnyPlugin, refuse: Refuse): void {
  for (const { type, plugin } of events) {
    if (type.startsWith('dev.mesh.')) refuse(`its event ${type} must have a reverse DNS name of its own`)
    if (plugin !== name) refuse(`its event ${type} must name the plugin ${name}`)
  }
}

function isPlugin(value: unknown): value is AnyPlugin {
  return isObject(value) && value.contract === 1 && typeof value.name === 'string' && 'create' in value
}
