import type { Caller } from '#core/cluster/caller.ts'
import type { Reader } from '#core/event-store/store.ts'
import type { DnsLabel } from '#core/kube/names.ts'
import type { TracesTables } from '../contract/tables.ts'
import type { FindContent } from '../spans/build-trace.ts'
import { showContent, withheldContent } from '../spans/stored-content.ts'
import { contentKey, findContents, readContents } from '../store/contents.ts'
import type { ContentSelection } from '../store/contents.ts'

/**
 * Finds the contents of spans in namespaces whose runs the caller may get. Where the caller may not `get traces/content`, a span says that it has
 * content. The right is reviewed for namespaces with content only; `former` are those whose chunks may have content of former versions.
 */
export async function findContentsFor(
  db: Reader<TracesTables>,
  caller: Pick<Caller, 'may'>,
  selection: ContentSelection,
  former: readonly string[] = [],
): Promise<FindContent> {
  const found = await findContents(db, selection)
  const namespaces = [...new Set([...found.values(), ...former])]
  const reviews = namespaces.map((namespace) =>
    caller.may('get', 'traces/content', { namespace: namespace as DnsLabel }),
  )
  const granted = new Set<string>((await Promise.all(reviews)).flatMap((access) => access?.namespace ?? []))
  const shown = granted.size === 0 ? new Map() : await readContents(db, { ...selection, namespaces: [...granted] })
  return ({ agentUid, spanId, namespace, own }) => {
    const key = contentKey(agentUid, spanId)
    if (own === undefined && !found.has(key)) return null
    return granted.has(namespace) ? showContent({ ...own, ...shown.get(key) }) : withheldContent
  }
}
