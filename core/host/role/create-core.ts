import { shownSettings } from '#core/config/shown/shown-settings.ts'
import { createEventRights } from '#core/event-rights/event-rights.ts'
import type { AuditDescriptor, EventType } from '#core/event-store/event.ts'
import type { ContributedValue, Point } from '#core/jobs/extension-point.ts'
import { kindsOf } from '#core/plugin/access-of-plugins.ts'
import type { Core } from '#core/plugin/core-services.ts'
import { unenforcedFields } from '#core/plugin/enforced-fields.ts'
import { createSealed } from '#core/signing/sealed.ts'
import { keyringFor } from '../load/plugin-keys.ts'
import type { RoleCradle } from './role-cradle.ts'

/** Creates the services of every plugin of a role. What plugins contribute is read later, when all are created. */
export function createCore(cradle: RoleCradle): Core {
  const { role, settings, platform, eventTypes, ordered, log } = cradle
  const keys = keyringFor(undefined, role, cradle.keys)
  const descriptors = descriptorsOf(eventTypes)
  const kinds = kindsOf(ordered)
  const shown = shownSettings(settings, ordered)
  const declared = new Map(eventTypes.map((type) => [type.type, type]))
  const contributed = <T>(point: Point<T>): readonly ContributedValue<T>[] =>
    cradle.container.contributions
      .filter(({ point: name }) => name === point.name)
      .map(({ plugin, value }) => ({ plugin, value: value as T }))
  return {
    role,
    install: settings.core.install,
    profile: settings.core.profile,
    version: cradle.version,
    log: log.child({ role }),
    metrics: cradle.metrics,
    keys,
    sealed: createSealed(keys, 'core'),
    now: cradle.now,
    store: platform.store,
    bus: platform.bus,
    tasks: platform.tasks,
    cluster: platform.callers,
    observed: platform.observed,
    outbound: cradle.calls,
    urls: cradle.urls,
    publicUrl: settings.core.sessions?.publicUrl,
    tracer: cradle.tracer,
    descriptors: () => descriptors,
    eventTypes: () => declared,
    eventRights: (caller, namespace = '') => createEventRights({ caller, types: declared, kinds, namespace }),
    kinds: () => kinds,
    shownSettings: () => shown,
    plugins: () => new Map([...cradle.wired].filter(([, { wiring }]) => wiring !== 'hidden')),
    unenforced: (kind) => unenforcedFields(kind, ordered, cradle.wired),
    // A contribution contains the name of its point; the point's type determines the type of its values.
    extensions: <T>(point: Point<T>) => contributed(point).map(({ value }) => value),
    contributed,
  }
}

function descriptorsOf(eventTypes: readonly EventType[]): ReadonlyMap<string, AuditDescriptor> {
  return new Map(
    eventTypes.flatMap(({ type, audit }): [string, AuditDescriptor][] => (audit === undefined ? [] : [[type, audit]])),
  )
}
