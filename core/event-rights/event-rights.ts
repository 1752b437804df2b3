import type { Caller } from '#core/cluster/caller.ts'
import type { EventType, StoredEvent } from '#core/event-store/event.ts'
import type { AnyKind } from '#schemas/kinds/kind.ts'
import { parseLabel } from '#core/kube/names.ts'
import { rightToSee } from './right-to-see.ts'
import type { Right } from './right-to-see.ts'

/** The part of an event that determines who may see it. */
export type SeenEvent = Pick<StoredEvent, 'type' | 'data'> & {
  readonly subject: Pick<StoredEvent['subject'], 'namespace' | 'kind'>
}

/**
 * Reviews which events a caller may see, each as its type declares (`seenBy`), else by `get` on the kind of its subject. Results are kept for 30 s and
 * apply to this caller only. The right to watch the event log itself is not part of it.
 */
export interface EventRights {
  maySee(event: SeenEvent): Promise<boolean>
  /**
   * Returns those event types that the caller may see in a namespace, or in the cluster for ''. A type without `seenBy` is included for `kind` only, the
   * kind of the events' subjects. For filters of projections of events.
   */
  typesIn(namespace: string, kind?: string): Promise<ReadonlySet<string>>
}

/** Dependencies of the reviews; `now` is monotonic milliseconds. */
export interface EventRightsInput {
  readonly caller: Pick<Caller, 'may'>
  readonly types: ReadonlyMap<string, EventType>
  /** Kinds of the installation. */
  readonly kinds: readonly AnyKind[]
  /** Namespace of a stream, or one of several; '' is the cluster. */
  readonly namespace: string
  readonly maxAgeMs?: number
  readonly now?: () => number
}

// Reviewed as often as the right to the stream itself (X1).
const MAX_AGE_MS = 30_000
// Maximum cached results: rights times namespaces of a cluster-wide stream.
const MAX_ANSWERS = 5_000

/** Creates the rights of one stream: each distinct (verb, resource, namespace) is reviewed once and again after `maxAgeMs`. */
export function createEventRights(input: EventRightsInput): EventRights {
  const { caller, types, kinds, maxAgeMs = MAX_AGE_MS, now = () => performance.now() } = input
  const answers = new Map<string, { readonly allowed: Promise<boolean>; readonly at: number }>()
  const ask = ({ verb, resource, group }: Right, namespace: string): Promise<boolean> => {
    const key = `${verb} ${group}/${resource} ${namespace}`
    const known = answers.get(key)
    if (known !== undefined && now() - known.at < maxAgeMs) return known.allowed
    if (answers.size >= MAX_ANSWERS) answers.clear()
    const where = { namespace: namespace === '' ? ('' as const) : parseLabel('namespace', namespace), group }
    const allowed = caller.may(verb, resource, where).then((access) => access !== undefined)
    answers.set(key, { allowed, at: now() })
    return allowed
  }
  const has = async (right: Right | undefined, namespace: string): Promise<boolean> => {
    if (right === undefined) return false
    // For a cluster-wide stream, a cluster-wide grant saves the review of each namespace.
    if (input.namespace === '' && namespace !== '' && (await ask(right, ''))) return true
    return ask(right, namespace)
  }
  return {
    maySee: async (event) => has(rightToSee(types.get(event.type), event, kinds), event.subject.namespace ?? ''),
    typesIn: async (namespace, kind) => {
      // A cluster-wide right would hide a malformed name.
      if (namespace !== '') parseLabel('namespace', namespace)
      const seen = await Promise.all(
        [...types.values()].map(async (type) => {
          const right = type.seenBy === undefined && kind === undefined ? undefined : rightOf(type, kind ?? '', kinds)
          return (await has(right, namespace)) ? [type.type] : []
        }),
      )
      return new Set(seen.flat())
    },
  }
}

function rightOf(type: EventType, kind: string, kinds: readonly AnyKind[]): Right | undefined {
  return rightToSee(type, { subject: { kind }, data: {} }, kinds)
}
