import type { AccessRule } from '#core/cluster/roles/access-rule.ts'
import type { ObservedReads } from '#core/cluster/observed-objects.ts'
import { objectDeleted } from '#core/controllers/objects/object-events.ts'
import type { DeclaredMigration } from '#core/database/migration.ts'
import type { ErrorTable } from '#core/errors/define-errors.ts'
import type { EventType } from '#core/event-store/event.ts'
import type { Store } from '#core/event-store/store.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { tablesOf } from '#core/http/store/declared/stored-names.ts'
import type { StoredResource } from '#core/http/store/declared/stored-resource.ts'
import { storedMigrations } from '#core/http/store/declared/stored-tables.ts'
import { deleteOfNamespaces } from '#core/http/store/objects/stored-rows.ts'
import { isObject } from '#core/json/is-object.ts'
import type { Consumer } from '#core/messaging/consumer/consumer.ts'

/** A stored resource of a plugin with everything that follows from it. `storeCrud` builds one. */
export interface StoredSlot {
  readonly resource: StoredResource
  /** Rights of the personas. */
  readonly access: readonly AccessRule[]
  /** Routes of the resource, mounted like those of `routes`. */
  routes(core: StoredCore, services: object): readonly AnyEndpoint[]
}

/** Services of core for the routes of a stored resource. */
export interface StoredCore {
  readonly store: Store
  readonly observed: ObservedReads
  readonly now: () => Date
}

/** Slots of a plugin to which its stored resources add. */
interface StoredParts {
  readonly stored?: readonly StoredSlot[]
  readonly events?: readonly EventType[]
  readonly access?: readonly AccessRule[]
  readonly errors?: ErrorTable
  readonly requires?: readonly string[]
}

/** Adds what stored resources declare to the events, rights, errors and requirements of their plugin. */
export function withStored<P extends StoredParts>(plugin: P): P {
  const { stored = [], events = [], access = [], errors = {}, requires = [] } = plugin
  // Untyped code may declare anything; its checks follow.
  const isChecked = [stored, events, access, requires].every((one) => Array.isArray(one)) && stored.every(isSlot)
  if (stored.length === 0 || !isChecked) return plugin
  return {
    ...plugin,
    requires: [...new Set([...requires, 'store'])],
    events: [...events, ...stored.flatMap(({ resource }) => eventsOf(resource))],
    access: [...access, ...stored.flatMap((slot) => slot.access)],
    errors: { ...errors, ...Object.fromEntries(stored.flatMap(({ resource }) => errorsOf(resource))) },
  }
}

function isSlot(slot: unknown): slot is StoredSlot {
  return isObject(slot) && isObject(slot.resource) && isObject(slot.resource.events) && Array.isArray(slot.access)
}

function eventsOf({ events: { created, updated, deleted, labelMoved, added } }: StoredResource): EventType[] {
  return [created, updated, deleted, ...(labelMoved === undefined ? [] : [labelMoved]), ...added.values()]
}

function errorsOf({ errors }: StoredResource) {
  return Object.values(errors).map((error) => [error.code, error] as const)
}

/** Migrations of the stored resources of a plugin. */
export function migrationsOfStored({ stored = [] }: StoredParts): readonly DeclaredMigration[] {
  return stored.flatMap(({ resource }) => storedMigrations(resource))
}

/** Removes the objects of deleted namespaces: one consumer per stored resource. */
export function consumersOfStored({ stored = [] }: StoredParts): readonly Consumer[] {
  return stored.map(({ resource: { names } }) => ({
    name: `${names.plugin}.${names.plural}-of-namespaces`,
    types: [objectDeleted.type],
    order: 'none',
    from: 'start',
    role: 'worker',
    handle: async (events, tx) => {
      const uids = events.flatMap(({ data }) =>
        isObject(data) && data.kind === 'Namespace' && typeof data.uid === 'string' ? [data.uid] : [],
      )
      if (uids.length > 0) await deleteOfNamespaces(tx.tables(), [names.table, tablesOf.usage(names)], uids)
    },
  }))
}
