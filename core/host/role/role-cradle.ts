import type { Role } from '#core/config/profile.ts'
import type { Settings } from '#core/config/settings.ts'
import type { ObjectStores } from '#core/controllers/watch/object-stores.ts'
import type { EventType } from '#core/event-store/event.ts'
import type { SignInWays } from '#core/http/sessions/sign-in-ways.ts'
import type { GuardOptions } from '#core/http-client/guard.ts'
import type { Outbound } from '#core/http-client/outbound.ts'
import type { Logger } from '#core/log/logger.ts'
import type { Core, PluginAvailability } from '#core/plugin/core-services.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'
import type { Keyring } from '#core/signing/keyring.ts'
import type { Metrics } from '#core/telemetry/metrics.ts'
import type { Tracer } from '#core/telemetry/tracer.ts'
import type { Built, RoleContainer } from '../load/role-container.ts'
import type { OpenPlatform, Platform, PlatformNeeds } from '../platform/platform.ts'
import type { DeclaredWork, WorkingRole } from './declare-work.ts'
import type { RunningHandlers } from './running-handlers.ts'

/** Projection to rebuild, and the receiver of its number of events. */
export interface RebuildRequest {
  readonly projection: string
  readonly done: (result: { readonly events: number }) => void
}

/** Input of every role of a process; contains nothing that a role creates. */
export interface RoleInput {
  readonly ordered: readonly AnyPlugin[]
  readonly settings: Settings
  readonly openPlatform: OpenPlatform
  readonly log: Logger
  readonly metrics: Metrics
  readonly tracer?: Tracer | undefined
  readonly keys: Keyring
  readonly now: () => Date
  readonly version: string
  readonly urls: Core['urls']
  /** Rules for calls to addresses of users. */
  readonly outbound: GuardOptions
  readonly coreEventTypes: readonly EventType[]
  readonly thirdParty: ReadonlySet<string>
  /** Default: the pods of the agent's Service. */
  readonly checkResponses: boolean
  /** Host names served by listeners on loopback besides those of loopback; undefined: any. */
  readonly hosts?: readonly string[] | undefined
  /** Ways to sign in, of the embedded default. */
  readonly signIn?: SignInWays | undefined
  /** The role `migrate` rebuilds this projection instead. */
  readonly rebuild?: RebuildRequest | undefined
}

/** Parts of one role. Every value lives as long as the role: nothing of a request or a job is registered (ADR 0252). */
export interface RoleCradle extends RoleInput {
  readonly role: Role
  readonly eventTypes: readonly EventType[]
  readonly needs: PlatformNeeds
  readonly calls: Outbound
  readonly core: Core
  readonly handlers: RunningHandlers
  /** Ends the background work. */
  readonly stop: AbortController
  /** Undefined for a role without background work. */
  readonly declared: DeclaredWork | undefined
  /** Readable once it is open. */
  readonly platform: Platform
  /** Readable once it is decided. */
  readonly wired: ReadonlyMap<string, PluginAvailability>
  /** Readable once every plugin is created. */
  readonly container: RoleContainer
  readonly built: readonly Built[]
  /** Kinds that the gateway keeps in memory; undefined in other roles. */
  readonly stores: ObjectStores | undefined
}

/** Whether a role has background work. */
export function hasWork(role: Role): role is WorkingRole {
  return role === 'worker' || role === 'manager' || role === 'state'
}
