import type { AnyPlugin, OptionalNeed } from '#core/plugin/plugin.ts'
import type { SystemReads } from '#core/plugin/system-reads.ts'
import type { Built } from '../load/role-container.ts'
import { absentApi } from '../load/unconfigured-store.ts'
import { needsOf } from '../load/load-order.ts'
import { BootError } from '../load/startup-error.ts'

/**
 * Creates `context.system` of one plugin. Only plugins among its needs are readable: they are created before it, and it is unwired if a
 * required one is. An unwired reader declares routes that are never called, and its reads throw.
 */
export function createSystemReads(reader: AnyPlugin, built: readonly Built[]): SystemReads {
  const known = new Map(built.map((one) => [one.plugin.name, one]))
  const isUnwired = known.get(reader.name)?.wired.wiring === 'unwired'
  return {
    system: (asked: AnyPlugin | OptionalNeed) => {
      const optional = 'optional' in asked
      const name = optional ? asked.optional.name : asked.name
      const refuse = (why: string): never => {
        throw new BootError(`plugin ${reader.name}: system reads of ${name}: ${why}`)
      }
      if (!needsOf(reader).some((need) => need.plugin.name === name)) refuse(`${name} is not among its needs`)
      const found = known.get(name)
      if (found !== undefined && found.wired.wiring !== 'unwired') return found.plugin.system?.(found.services) as never
      if (optional) return undefined as never
      if (isUnwired) return absentApi(name, found?.wired.because) as never
      return refuse(`${name} is not available; use optional(${name})`)
    },
  }
}
