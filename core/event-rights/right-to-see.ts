import { GROUP } from '#schemas/names/group.ts'
import type { AnyKind } from '#schemas/kinds/kind.ts'
import type { EventType, StoredEvent } from '#core/event-store/event.ts'

/** A permission reviewed for the caller: `verb` on `resource` in `namespace`, '' for the cluster. */
export interface Right {
  readonly verb: string
  readonly resource: string
  readonly group: string
}

/**
 * Permission required to see an event; undefined if no caller may see it, which includes undeclared types. The resource of a declared kind
 * is the declared one.
 */
export function rightToSee(
  type: EventType | undefined,
  event: Pick<StoredEvent, 'data'> & { readonly subject: Pick<StoredEvent['subject'], 'kind'> },
  kinds: readonly Pick<AnyKind, 'kind' | 'plural' | 'group'>[],
): Right | undefined {
  if (type === undefined || type.seenBy === 'none') return undefined
  if (type.seenBy !== undefined) return { group: GROUP, ...type.seenBy }
  const declared = kinds.find(({ kind }) => kind === event.subject.kind)
  if (declared !== undefined) return { verb: 'get', resource: declared.plural, group: declared.group }
  return { verb: 'get', resource: pluralOf(event.subject.kind), group: groupOf(event.data) }
}

/** Plural of a kind, guessed as in Kubernetes (meta.UnsafeGuessKindToResource). */
export function pluralOf(kind: string): string {
  const lower = kind.toLowerCase()
  if (/(?:s|x|z|ch|sh)$/.test(lower)) return `${lower}es`
  return lower.endsWith('y') ? `${lower.slice(0, -1)}ies` : `${lower}s`
}

// Events of cluster objects contain the group of their kind; '' is the core group.
function groupOf(data: unknown): string {
  const group = typeof data === 'object' && data !== null && 'group' in data ? data.group : undefined
  return typeof group === 'string' ? group : GROUP
}
