import { isObject } from '#core/json/is-object.ts'
import type { Settings } from '#launcher/contract/settings/settings.ts'

/** A part of memory that the spec of an agent may bind. */
export type MemoryPart = 'session' | 'longTerm'

/** Parts that the agent's configuration binds; the plugin writes it. */
export function boundParts({ agent: { plugins } }: Pick<Settings, 'agent'>): ReadonlySet<MemoryPart> {
  const { memory } = plugins
  const all = ['session', 'longTerm'] as const
  return new Set(isObject(memory) ? all.filter((part) => memory[part] === true) : [])
}
