import { Type } from 'typebox'
import type { EventType } from '#core/event-store/event.ts'
import { definePoint } from '#core/jobs/extension-point.ts'
import type { Point } from '#core/jobs/extension-point.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'
import { demand } from './demand.ts'

// Parts of the platform by name. A module is evaluated before the host knows its plugins, so names are checked at the start of a role.

/** A plugin that a third party needs, with the type of its API. */
export interface NamedPlugin<Api = unknown> extends AnyPlugin {
  api?(services: object): Api
}

/** A plugin of the installation by its name, for `needs`. */
export function namedPlugin(name: string): NamedPlugin {
  demand(typeof name === 'string', "need: the argument must be the name of a plugin, such as 'runs'")
  return {
    contract: 1,
    name,
    settings: Type.Object({}),
    create: () => {
      throw new Error(`need(${JSON.stringify(name)}) is a name; only the host creates the plugin`)
    },
  }
}

/** An extension point of core or of a plugin by its name. */
export function namedPoint(name: string): Point<unknown> {
  demand(typeof name === 'string', 'point: the argument must be a name, such as agents.requirement')
  return definePoint(name)
}

const eventPattern = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*\.([a-z][a-z0-9-]*)\.([a-z][a-z0-9.-]*)\.v([1-9]\d{0,5})$/

/** An event type of the platform or of another plugin by its name, for consumers and projections. */
export function namedEvent(type: string): EventType {
  const [, plugin = '', fact = '', version] = (typeof type === 'string' ? eventPattern.exec(type) : undefined) ?? []
  demand(version !== undefined, 'event: the argument must be an event type, such as dev.mesh.runs.failed.v1')
  const undeclared = { audit: undefined, seenBy: undefined }
  return { type, plugin, fact, version: Number(version), summary: type, data: Type.Unknown(), ...undeclared }
}
