import { prefixOfThirdParty } from '#core/database/table-prefix.ts'
import type { EventType } from '#core/event-store/event.ts'
import type { Projection } from '#core/event-store/store.ts'
import { nearestEvent } from './check-consumers.ts'
import type { Built } from './role-container.ts'
import { usable } from './role-container.ts'
import { slotValues, valuesOf } from './slot-values.ts'
import { refuseShared } from './refuse-duplicates.ts'
import type { DeclaredValue } from './slot-values.ts'
import { BootError } from './startup-error.ts'

/** Event types and third-party plugins of a process, for the checks of projections. */
export interface ProjectionChecks {
  readonly eventTypes: readonly EventType[]
  readonly thirdParty: ReadonlySet<string>
}

/**
 * Returns the projections of every plugin. Throws `BootError` if two share a name or a table, or if an event that feeds one is not declared.
 * Also throws if one claims a table outside the prefix of its third-party plugin.
 */
export function projectionsOf(built: readonly Built[], checks: ProjectionChecks): readonly Projection[] {
  const declared = slotValues('projections', usable(built), ({ plugin, services }) => plugin.projections?.(services))
  refuseShared(declared, 'the projection', ({ name }) => [name])
  refuseShared(declared, 'the table of a projection', ({ tables }) => tables)
  for (const one of declared) checkProjection(one, checks)
  return valuesOf(declared)
}

function checkProjection(
  { owner, plugin = '', value: { name, tables, types } }: DeclaredValue<Projection>,
  { eventTypes, thirdParty }: ProjectionChecks,
): void {
  const known = eventTypes.map(({ type }) => type)
  const unknown = types.find(({ type }) => !known.includes(type))
  if (unknown !== undefined)
    throw new BootError(
      `${owner}: the event ${unknown.type}, which feeds its projection ${name}, is declared by no plugin${nearestEvent(unknown.type, known)}`,
    )
  const prefix = prefixOfThirdParty(plugin)
  const foreign = thirdParty.has(plugin) ? tables.find((table) => !table.startsWith(prefix)) : undefined
  if (foreign !== undefined)
    throw new BootError(`${owner}: the table ${foreign} of its projection ${name} must be named ${prefix}...`)
}
