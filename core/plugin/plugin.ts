import type { Static, TSchema } from 'typebox'
import type { Informer, Reconciler } from '#core/controllers/watch/declarations.ts'
import type { Profile, Role } from '#core/config/profile.ts'
import type { RoleKeys } from '#core/signing/keyring.ts'
import type { SettingSource } from '#core/config/setting-source.ts'
import type { Consumer } from '#core/messaging/consumer/consumer.ts'
import type { ErrorTable } from '#core/errors/define-errors.ts'
import type { EventType } from '#core/event-store/event.ts'
import type { Mountable } from '#core/http/endpoint/mountable.ts'
import type { Resource } from '#core/kube/client.ts'
import type { Wiring } from '#core/http/endpoint/mounted-endpoint.ts'
import type { Job } from '#core/jobs/background-work.ts'
import type { Projection } from '#core/event-store/store.ts'
import type { TaskHandler } from '#core/tasks/task.ts'
import type {
  BffContext,
  ConsumerContext,
  GatewayContext,
  JobContext,
  ManagerContext,
  ManagerListener,
  StateContext,
  WorkerContext,
} from './role-contexts.ts'
import type { AccessRule } from '#core/cluster/roles/access-rule.ts'
import type { KindSlot } from './kind-slot.ts'
import { withStored } from './stored-slot.ts'
import type { StoredSlot } from './stored-slot.ts'
import type { Command } from './command.ts'
import type { ConsolePage } from './console-page.ts'
import type { EnforcedField } from './enforced-fields.ts'
import type { Core, CoreWith, Requirement } from './core-services.ts'
import type { Contribution, Point } from '#core/jobs/extension-point.ts'

/** A dependency that may be absent; its API is then `undefined`. */
export interface OptionalNeed<P extends AnyPlugin = AnyPlugin> {
  readonly optional: P
}

/** Other plugins, by the name under which `create` receives their API. */
export type Needs = Readonly<Record<string, AnyPlugin | OptionalNeed>>

/** Keys of a plugin by role. The role `migrate` has none. */
export type PluginKeys = Readonly<Partial<Record<Exclude<Role, 'migrate'>, RoleKeys>>>

/** API type of a plugin value. */
export type ApiOf<P> = P extends { readonly api?: (services: never) => infer Api } ? Api : undefined

/** Argument of `create` for the plugin's needs. */
export type Apis<N extends Needs> = {
  readonly [K in keyof N]: N[K] extends OptionalNeed<infer P> ? ApiOf<P> | undefined : ApiOf<N[K]>
}

/** Marks a dependency as optional. */
export function optional<P extends AnyPlugin>(plugin: P): OptionalNeed<P> {
  return { optional: plugin }
}

/** A feature as data and functions. Importing it has no effect; roles start the slots that they own. */
export interface Plugin<
  Name extends string,
  Services extends object,
  Api,
  S extends TSchema,
  N extends Needs,
  R extends readonly Requirement[],
  System,
> {
  readonly contract: 1
  /** Folder, settings key, event-type prefix and table prefix. */
  readonly name: Name
  /** Purpose of the plugin in one sentence: description of its tag in the OpenAPI document. */
  readonly summary?: string
  readonly needs?: N
  readonly settings: S
  /** Maps interface names (`bff.mcp.enabled`, `AUDIT_RETENTION_DAYS`) to keys of this plugin's section. */
  readonly settingsFrom?: readonly SettingSource[]
  /** Services without which the plugin is `unwired`; its `core` has them by type. */
  readonly requires?: R
  /** Profiles whose processes do not start while this plugin is disabled or unwired. */
  readonly requiredBy?: readonly Profile[]
  /** Availability that depends on settings. */
  wiring?(settings: Static<S>, core: Core): Wiring
  readonly migrations?: URL
  readonly events?: readonly EventType[]
  /** Kinds with their CRDs, routes, informers and rights. Every kind of an installation is followed, also of an unwired plugin. */
  readonly kinds?: readonly KindSlot[]
  /** Resources in the store with their routes, tables, events, errors and rights. Their plugin requires the store. */
  readonly stored?: readonly StoredSlot[]
  /** What the plugin's personas and roles may do at the API server, beyond what follows from kinds and informers. */
  readonly access?: readonly AccessRule[]
  /**
   * Fields of kinds that have no effect without this plugin. While it is unwired, an agent that uses one is not accepted, and its model and
   * tool calls are refused.
   */
  readonly enforces?: readonly EnforcedField[]
  /** Further kinds that the manager watches. */
  readonly informers?: readonly Informer[]
  /** Keys that each role holds for this plugin; `core.keys` has no others. */
  readonly keys?: PluginKeys
  /** Pages of the console, reported by `GET /api/capabilities`. */
  readonly console?: readonly ConsolePage[]
  /** Commands of `mesh`. */
  readonly commands?: readonly Command[]
  /** Errors that only this plugin raises, made by `defineErrors` in its `errors.ts`. */
  readonly errors?: ErrorTable
  /** Extension points of this plugin: named `<plugin>.<purpose>`, declared in its `points.ts`. */
  readonly points?: readonly Point<unknown>[]
  /** Creates the plugin's services, without I/O. */
  create(core: CoreWith<R>, settings: Static<S>, needs: Apis<N>): Services
  /** API for other plugins; they have no other access. */
  api?(services: Services): Api
  /** Reads without a proof of access, for worker, manager and state role: other plugins call `context.system(plugin)`. */
  system?(services: Services): System
  projections?(services: Services): readonly Projection[]
  contributions?(services: Services): readonly Contribution[]
  /** Routes below `/api`, or `/api/x/<name>` for third parties. Core mounts them; nothing but endpoints can be mounted. */
  routes?(services: Services, bff: BffContext): readonly Mountable[]
  /** Kinds that the gateway keeps in memory: its `cluster.get` reads them there. Its account needs `get`, `list` and `watch`. */
  readonly gatewayStores?: readonly Resource[]
  gatewayRoutes?(services: Services, gateway: GatewayContext): readonly Mountable[]
  stateRoutes?(services: Services, state: StateContext): readonly Mountable[]
  /** Routes on the manager's own port, which listens only if a plugin has some. */
  managerRoutes?(services: Services, manager: ManagerListener): readonly Mountable[]
  consumers?(services: Services, context: ConsumerContext): readonly Consumer[]
  /** Called once in worker, manager and state role: `context.role` is the role of the returned jobs. */
  jobs?(services: Services, context: JobContext): readonly Job[]
  /** Handlers of queued tasks. */
  tasks?(services: Services, worker: WorkerContext): readonly TaskHandler[]
  reconcilers?(services: Services, manager: ManagerContext): readonly Reconciler[]
  /** Called in reverse load order. */
  close?(services: Services): Promise<void>
}

/** A plugin with erased types, as used by the host. Methods are bivariant, so every plugin is assignable. */
export type AnyPlugin = Plugin<string, object, unknown, TSchema, Needs, readonly Requirement[], unknown>

/** Declares a plugin. Types of settings, needs and services are inferred. */
export function definePlugin<
  const Name extends string,
  Services extends object,
  Api,
  S extends TSchema,
  N extends Needs,
  const R extends readonly Requirement[] = readonly [],
  System = undefined,
>(plugin: Plugin<Name, Services, Api, S, N, R, System>): Plugin<Name, Services, Api, S, N, R, System> {
  return withStored(plugin)
}
