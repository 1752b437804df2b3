import { coreSettingsSchema } from '#core/config/core-settings.ts'
import { coreErrors } from '#core/errors/core-errors.ts'
import { problemOfError } from '#core/errors/define-errors.ts'
import type { ErrorTable } from '#core/errors/define-errors.ts'
import { coreOwner } from '#core/http/health.ts'
import { isObject } from '#core/json/is-object.ts'
import type { EventType } from '#core/event-store/event.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'
import { pluginTitle } from './plugin-title.ts'
import { pointNames } from './check-points.ts'
import { declaredBy, ofCore } from './slot-values.ts'
import { refuseShared } from './refuse-duplicates.ts'
import { BootError } from './startup-error.ts'

/**
 * Checks what the plugins of a process declare as data, before any of them is created: names, event types, errors, points. Throws `BootError` with
 * both sides of a conflict.
 */
export function checkPlugins(plugins: readonly AnyPlugin[], coreEventTypes: readonly EventType[]): void {
  for (const plugin of plugins) refuseSettingName(plugin)
  const events = [...ofCore(coreEventTypes), ...declaredBy(plugins, ({ events: types }) => types)]
  refuseShared(events, 'the event', ({ type }) => [type])
  const errors = [...ofCore([coreErrors]), ...declaredBy(plugins, ({ errors: table }) => [table ?? {}])]
  refuseShared(errors, 'the error', Object.keys)
  for (const { owner, value } of errors) refuseInvalidErrors(owner, value)
  pointNames(plugins)
}

// A table of untyped code need not come from `defineErrors`.
function refuseInvalidErrors(owner: string, table: ErrorTable): void {
  for (const [code, definition] of Object.entries<unknown>(table)) {
    const problem =
      isObject(definition) && definition.code === code
        ? problemOfError(definition)
        : 'it must be created by defineErrors'
    if (problem !== undefined) throw new BootError(`${owner}: its error ${code.slice(0, 60)}: ${problem}`)
  }
}

// Otherwise, the section of the plugin would be that of the platform.
function refuseSettingName(plugin: AnyPlugin): void {
  const { name } = plugin
  if (name === coreOwner.plugin)
    throw new BootError(`${pluginTitle(plugin)} has the name of core; it needs another one`)
  if (Object.hasOwn(coreSettingsSchema.properties, name))
    throw new BootError(`${pluginTitle(plugin)} has the name of the core setting ${name}; it needs another one`)
}
