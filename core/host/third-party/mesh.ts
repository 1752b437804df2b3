import { sql } from 'kysely'
import { Type } from 'typebox'
import { inLiveNamespace } from '#core/cluster/object-index-sql.ts'
import { applyOwned } from '#core/controllers/apply-owned.ts'
import { toConditionsStatus } from '#core/controllers/conditions.ts'
import { writeStatus } from '#core/controllers/write-status.ts'
import { defineErrors } from '#core/errors/define-errors.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { checkEndpoint } from '#core/http/endpoint/check-endpoint.ts'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import { resourceRoutes } from '#core/http/resource/resource-routes.ts'
import { requireVersion, versioned } from '#core/http/store/row-version.ts'
import { storeList } from '#core/http/store/store-list.ts'
import { openEventStream } from '#core/http/stream/event-stream.ts'
import { contribute, definePoint } from '#core/jobs/extension-point.ts'
import type { Point } from '#core/jobs/extension-point.ts'
import { asObject, isObject } from '#core/json/is-object.ts'
import { on } from '#core/messaging/consumer/consumer.ts'
import { BadArguments } from '#core/command-line/option.ts'
import { defineCommand } from '#core/plugin/command.ts'
import { crud } from '#core/plugin/crud.ts'
import { TaskFailure, defineTask, handleTask } from '#core/tasks/task.ts'
import { definePlugin, optional } from '#core/plugin/plugin.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'
import { defineKind } from '#schemas/kinds/kind.ts'
import { assertPoint, pointNames } from '../load/check-points.ts'
import { defineOwnEvent } from './third-party-events.ts'

/** Argument of a third-party plugin: helpers, and the platform's plugins as dependencies. Types are available by `import type`. */
export interface Mesh {
  readonly definePlugin: typeof definePlugin
  readonly optional: typeof optional
  readonly defineCommand: typeof defineCommand
  readonly BadArguments: typeof BadArguments
  readonly definePoint: typeof definePoint
  /** An extension point of the platform or of a plugin loaded before, by its name. Throws for a name that nothing declares. */
  readonly point: <T>(name: string) => Point<T>
  readonly contribute: typeof contribute
  readonly defineEvent: typeof defineOwnEvent
  readonly on: typeof on
  readonly defineTask: typeof defineTask
  readonly handleTask: typeof handleTask
  readonly TaskFailure: typeof TaskFailure
  /** For reconcilers: applies owned objects, writes a status, adds times to conditions. */
  readonly applyOwned: typeof applyOwned
  readonly writeStatus: typeof writeStatus
  readonly toConditionsStatus: typeof toConditionsStatus
  readonly endpoint: typeof endpoint
  readonly resourceRoutes: typeof resourceRoutes
  readonly defineKind: typeof defineKind
  readonly crud: typeof crud
  readonly openEventStream: typeof openEventStream
  /** One page of stored rows for a caller: cursor, filters, `scope=permitted`. */
  readonly storeList: typeof storeList
  /** `ETag` and `If-Match` of stored rows. */
  readonly versioned: typeof versioned
  readonly requireVersion: typeof requireVersion
  /** SQL condition for rows whose namespace was neither deleted nor created again. */
  readonly inLiveNamespace: typeof inLiveNamespace
  /** Kysely's tag for SQL with parameters. */
  readonly sql: typeof sql
  readonly Fail: typeof Fail
  readonly defineErrors: typeof defineErrors
  readonly Type: typeof Type
  readonly plugins: Readonly<Record<string, AnyPlugin>>
}

/** Creates the argument of a third-party plugin that may depend on these plugins. */
export function createMesh(plugins: readonly AnyPlugin[]): Mesh {
  const points = pointNames(plugins)
  return {
    definePlugin,
    optional: checkedOptional,
    defineCommand,
    BadArguments,
    definePoint,
    point: <T>(name: string): Point<T> => {
      demand(typeof name === 'string', 'point: the argument must be a name, such as agents.requirement')
      assertPoint(name, points)
      return definePoint<T>(name)
    },
    contribute: checkedContribute,
    defineEvent: checkedEvent,
    on: checkedOn,
    defineTask: checkedTask,
    handleTask: checkedHandler,
    TaskFailure,
    applyOwned,
    writeStatus,
    toConditionsStatus,
    endpoint: checkedEndpoint,
    resourceRoutes: checkedResourceRoutes,
    defineKind: checkedKind,
    crud: checkedCrud,
    openEventStream: checkedEventStream,
    storeList: checkedStoreList,
    versioned: checkedVersioned,
    requireVersion: checkedRequireVersion,
    inLiveNamespace,
    sql,
    Fail,
    defineErrors: checkedErrors,
    Type,
    plugins: Object.fromEntries(plugins.map((plugin) => [plugin.name, plugin])),
  }
}

// Untyped code may omit arguments, and their use would fail far from the call with an error of core.

const checkedOptional: typeof optional = (plugin) => {
  demand(isObject(plugin), "optional: the plugin is missing; take it from mesh.plugins, such as mesh.plugins['runs']")
  return optional(plugin)
}

const checkedContribute: typeof contribute = (point, value) => {
  demand(isNamed(point), "contribute: the first argument must be a point, such as mesh.point('agents.requirement')")
  return contribute(point, value)
}

const checkedEvent: typeof defineOwnEvent = (spec) => {
  const given: unknown = spec
  demand(isObject(given), "defineEvent: the argument must be { domain: 'com.acme', plugin, fact, summary, data }")
  for (const field of ['domain', 'plugin', 'fact', 'summary'])
    demand(typeof given[field] === 'string', `defineEvent: ${field} must be a string`)
  demand(isObject(given.data), `defineEvent: data must be a schema, such as mesh.Type.Object({})`)
  return defineOwnEvent(spec)
}

const checkedErrors: typeof defineErrors = (specs) => {
  const given: unknown = specs
  demand(
    isObject(given) && Object.values(given).every(isObject),
    "defineErrors: the argument must be { some_code: { status: 409, title: 'The meaning.' } }",
  )
  return defineErrors(specs)
}

const checkedOn: typeof on = (name, types, options, handle) => {
  demand(typeof name === 'string', 'on: the first argument must be the name of the consumer')
  const isList = Array.isArray(types) && types.every((type: unknown) => isObject(type) && typeof type.type === 'string')
  demand(types === 'all' || isList, `on ${name}: the second argument must be a list of event types, or 'all'`)
  demand(isObject(options), `on ${name}: the third argument must be { order, from }`)
  demand(typeof handle === 'function', `on ${name}: the fourth argument must be a function`)
  return on(name, types, options, handle)
}

const checkedTask: typeof defineTask = (spec) => {
  demand(isObject(spec), "defineTask: the argument must be { name: 'acme.deliver', payload: mesh.Type.Object({}) }")
  return defineTask(spec)
}

const checkedHandler: typeof handleTask = (type, handle) => {
  demand(isNamed(type), 'handleTask: the first argument must be a task declared by mesh.defineTask')
  demand(typeof handle === 'function', `handleTask ${type.name}: the second argument must be a function`)
  return handleTask(type, handle)
}

// Checked again when it is mounted; here an error has the position of the declaration.
const checkedEndpoint: typeof endpoint = (spec) => {
  checkEndpoint(spec)
  return endpoint(spec)
}

const checkedKind: typeof defineKind = (spec) => {
  const given: unknown = spec
  demand(isObject(given), 'defineKind: the argument must be { group, kind, plural, description, spec }')
  const { kind, plural } = given
  for (const field of ['kind', 'plural', 'group', 'description'])
    demand(typeof given[field] === 'string' && given[field] !== '', `defineKind: ${field} is required`)
  demand(/^[A-Z][A-Za-z0-9]{0,62}$/.test(String(kind)), 'defineKind: kind must be in PascalCase')
  demand(/^[a-z][a-z0-9]{0,62}$/.test(String(plural)), 'defineKind: plural must be lowercase letters and digits')
  demand(asObject(given.spec).type === 'object', 'defineKind: spec must be a mesh.Type.Object({...})')
  return defineKind(spec)
}

const checkedResourceRoutes: typeof resourceRoutes = (kind, options) => {
  demandKind('resourceRoutes', kind, options)
  return resourceRoutes(kind, options)
}

const checkedCrud: typeof crud = (kind, options) => {
  demandKind('crud', kind, options)
  demand(isObject(options.sample), 'crud: sample must be the spec of a valid object')
  return crud(kind, options)
}

// Used in handlers: an error there is logged, and the response is a 500.

const checkedEventStream: typeof openEventStream = (call, options) => {
  demandCall('openEventStream', call)
  return openEventStream(call, options)
}

const checkedStoreList: typeof storeList = (call, list) => {
  demandCall('storeList', call)
  return storeList(call, list)
}

const checkedVersioned: typeof versioned = (call, version, body) => {
  demandCall('versioned', call)
  return versioned(call, version, body)
}

const checkedRequireVersion: typeof requireVersion = (call, version) => {
  demandCall('requireVersion', call)
  return requireVersion(call, version)
}

function demandCall(helper: string, call: unknown): void {
  const isCall = isObject(call) && isObject(call['headers']) && isObject(call['reply'])
  demand(isCall, `${helper}: the first argument must be the call that the handler received`)
}

function demandKind(helper: string, kind: unknown, options: unknown): void {
  demand(
    isObject(kind) && typeof kind.plural === 'string' && isObject(kind.spec),
    `${helper}: the first argument must be a kind of mesh.defineKind({...})`,
  )
  demand(
    isObject(options) && Array.isArray(options.verbs),
    `${helper}: the second argument must be { verbs: ['list', 'get', ...] }`,
  )
}

function isNamed(value: unknown): boolean {
  return isObject(value) && typeof value.name === 'string'
}

function demand(holds: boolean, why: string): asserts holds {
  if (!holds) throw new TypeError(why)
}
