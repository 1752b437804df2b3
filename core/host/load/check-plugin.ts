import { nearest } from '#schemas/nearest.ts'
import { checkAccess, checkInformers, checkKindSlots } from './check-slots.ts'
import { BootError } from './startup-error.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'

const slots = [
  'wiring',
  'create',
  'api',
  'system',
  'projections',
  'contributions',
  'routes',
  'gatewayRoutes',
  'stateRoutes',
  'managerRoutes',
  'consumers',
  'jobs',
  'reconcilers',
  'close',
] as const satisfies readonly (keyof AnyPlugin)[]
const data = [
  'contract',
  'name',
  'needs',
  'requires',
  'settings',
  'settingsFrom',
  'migrations',
  'events',
  'kinds',
  'access',
  'informers',
  'keys',
  'commands',
  'console',
] as const satisfies readonly (keyof AnyPlugin)[]

/** Validates the value returned by a plugin's file, which may be untyped JavaScript. Throws `BootError` with the field. */
export function checkPlugin(from: string, value: unknown, known: readonly AnyPlugin[]): AnyPlugin {
  const refuse = (why: string): never => {
    throw new BootError(`plugin ${from}: ${why}`)
  }
  if (value instanceof Promise) refuse('returned a promise; it must return mesh.definePlugin(...) itself')
  if (!isPlugin(value)) return refuse('did not return a plugin of contract 1')
  if (!/^[a-z][a-z0-9-]{0,39}$/.test(value.name))
    refuse(`its name ${JSON.stringify(value.name.slice(0, 60))} must be lower case letters, digits and -`)
  if (known.some(({ name }) => name === value.name)) refuse(`the name ${value.name} is taken`)
  for (const [field, given] of Object.entries(value)) checkField(field, given, refuse)
  if (typeof value.create !== 'function') refuse('create must be a function')
  if (typeof value.settings !== 'object' || value.settings === null)
    refuse('settings must be a schema, such as mesh.Type.Object({})')
  checkNeeds(value, known, refuse)
  checkRequires(value, refuse)
  checkEvents(value, refuse)
  checkKindSlots(value.kinds, refuse)
  checkAccess('access', value.access, refuse)
  checkInformers(value.informers, refuse)
  return value
}

type Refuse = (why: string) => never

function checkField(field: string, given: unknown, refuse: Refuse): void {
  const isSlot = slots.some((slot) => slot === field)
  if (isSlot && typeof given !== 'function' && given !== undefined) refuse(`${field} must be a function`)
  if (isSlot || data.some((name) => name === field)) return
  const found = nearest(field, [...slots, ...data])
  refuse(`${field.slice(0, 60)} is no field of a plugin${found === undefined ? '' : `; did you mean ${found}?`}`)
}

function checkNeeds({ needs = {} }: AnyPlugin, known: readonly AnyPlugin[], refuse: Refuse): void {
  for (const [key, need] of Object.entries<unknown>(needs)) {
    const plugin: unknown = typeof need === 'object' && need !== null && 'optional' in need ? need.optional : need
    if (isPlugin(plugin)) continue
    const names = known.map(({ name }) => name).join(', ')
    refuse(`needs.${key} must be a plugin, such as mesh.plugins['runs'] (there are ${names})`)
  }
}

function checkRequires({ requires = [] }: AnyPlugin, refuse: Refuse): void {
  if (!Array.isArray(requires) || requires.some((service) => service !== 'store'))
    refuse("requires must be a list; the only service that may be absent is 'store'")
}

function checkEvents({ events = [] }: AnyPlugin, refuse: Refuse): void {
  for (const { type } of events)
    if (type.startsWith('dev.mesh.')) refuse(`its event ${type} must have a reverse DNS name of its own`)
}

function isPlugin(value: unknown): value is AnyPlugin {
  return (
    typeof value === 'object' &&
    value !== null &&
    'contract' in value &&
    value.contract === 1 &&
    'name' in value &&
    typeof value.name === 'string' &&
    'create' in value
  )
}
