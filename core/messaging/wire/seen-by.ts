import { GROUP } from '#schemas/group.ts'
import type { EventType, StoredEvent } from '#core/event-store/event.ts'

/** A right that is asked as the caller: `verb` on `resource` in `namespace`, '' for the cluster. */
export interface Right {
  readonly verb: string
  readonly resource: string
  readonly group: string
}

/** The right that shows an event; undefined: no caller sees it. An undeclared type is seen by no caller. */
export function rightToSee(
  type: EventType | undefined,
  event: Pick<StoredEvent, 'subject' | 'data'>,
): Right | undefined {
  if (type === undefined || type.seenBy === 'none') return undefined
  if (type.seenBy !== undefined) return { group: GROUP, ...type.seenBy }
  return { verb: 'get', resource: pluralOf(event.subject.kind), group: groupOf(event.data) }
}

/** The plural of a kind as Kubernetes guesses it (meta.UnsafeGuessKindToResource). */
export function pluralOf(kind: string): string {
  const lower = kind.toLowerCase()
  if (/(?:s|x|z|ch|sh)$/.test(lower)) return `${lower}es`
  return lower.endsWith('y') ? `${lower.slice(0, -1)}ies` : `${lower}s`
}

// Events of cluster objects name the group of their kind; '' is core's.
function groupOf(data: unknown): string {
  const group = typeof data === 'object' && data !== null && 'group' in data ? data.group : undefined
  return typeof group === 'string' ? group : GROUP
}
