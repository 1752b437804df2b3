import type { Caller } from '#core/cluster/caller.ts'
import type { EventType, StoredEvent } from '#core/event-store/event.ts'
import type { AnyKind } from '#schemas/kinds/kind.ts'
import { rightToSee } from '#plugins/integrations/right-to-see.ts'
import type { Right } from '#plugins/integrations/right-to-see.ts'
import { parseLabel } from '#core/kube/names.ts'

/** Reviews which events one stream shows. Results apply to this stream only, for `maxAgeMs`. */
export interface EventRights {
  maySee(event: StoredEvent): Promise<boolean>
}

/** Dependencies of the reviews of a stream; `now` is monotonic milliseconds. */
export interface EventRightsInput {
  readonly caller: Pick<Caller, 'may'>
  readonly types: ReadonlyMap<string, EventType>
  /** Kinds of the installation. */
  readonly kinds: readonly AnyKind[]
  /** Namespace of the stream, or one of several; '' is the cluster. */
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
  return {
    maySee: async (event) => {
      const right = rightToSee(types.get(event.type), event, kinds)
      if (right === undefined) return false
      const namespace = event.subject.namespace ?? ''
      // For a cluster-wide stream, a cluster-wide grant saves the review of each namespace.
      if (input.namespace === '' && namespace !== '' && (await ask(right, ''))) return true
      return ask(right, namespace)
    },
  }
}
