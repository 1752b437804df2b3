import type { AnyPlugin, OptionalNeed } from '#core/plugin/plugin.ts'
import type { SystemReads } from '#core/plugin/system-reads.ts'
import { usable } from '../load/role-container.ts'
import type { Built } from '../load/role-container.ts'
import { needsOf } from '../load/load-order.ts'
import { BootError } from '../load/startup-error.ts'

/**
 * Creates `context.system` of one plugin. Only plugins among its needs are readable: they are created before it, and it is unwired with
 * those that it requires.
 */
export function createSystemReads(reader: AnyPlugin, built: readonly Built[]): SystemReads {
  const ready = new Map(usable(built).map((one) => [one.plugin.name, one]))
  return {
    system: (asked: AnyPlugin | OptionalNeed) => {
      const optional = 'optional' in asked
      const name = optional ? asked.optional.name : asked.name
      const refuse = (why: string): never => {
        throw new BootError(`plugin ${reader.name}: system reads of ${name}: ${why}`)
      }
      if (!needsOf(reader).some((need) => need.plugin.name === name)) refuse(`${name} is not among its needs`)
      const found = ready.get(name)
      if (found !== undefined) return found.plugin.system?.(found.services) as never
      return optional ? (undefined as never) : refuse(`${name} is not available; use optional(${name})`)
    },
  }
}
