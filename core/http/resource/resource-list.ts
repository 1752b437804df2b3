import type { KubeObject, ListOptions } from '#core/kube/client.ts'
import { cutManagedFields } from '../reply/managed-fields.ts'
import type { DnsLabel } from '#core/kube/names.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { cutList, JsonPieces, joinList } from '../reply/raw-list.ts'
import { isMatching, listMatching } from './matching-objects.ts'
import { rightsResource, toResource } from './resource-schemas.ts'
import type { RoutedKind } from './resource-schemas.ts'
import { isWalk, namespaceOf } from './scan-objects.ts'
import type { ListCall } from './scan-objects.ts'

/** Default page size. */
export const DEFAULT_LIMIT = 50

/** Lists one page of a kind as the caller: the API server's bytes, or with `scope=permitted` a walk over namespaces. */
export async function listObjects(kind: RoutedKind, call: ListCall): Promise<unknown> {
  const { query } = call
  const shown = query.scope === 'permitted' ? { scope: 'permitted' } : {}
  if (isMatching(query)) return { ...(await listMatching(kind, call, query.limit ?? DEFAULT_LIMIT)), ...shown }
  if (await isWalk(kind, call)) return { ...(await walk(kind, call)), ...shown }
  const page = await listPage(kind, call, namespaceOf(kind, query))
  return query.scope === 'permitted' ? { ...(JSON.parse(page.toString()) as object), ...shown } : page
}

/** A page of a list. */
export interface KindPage<T extends KubeObject> {
  readonly items: readonly T[]
  readonly nextCursor: string | null
  readonly scope?: 'permitted'
}

/** Lists one page of a kind as `listObjects` does, for a route that shows something other than the objects. */
export async function readObjects<T extends KubeObject>(kind: RoutedKind, call: ListCall): Promise<KindPage<T>> {
  const page = await listObjects(kind, call)
  // The API server has validated the objects by the schema of their kind.
  return (page instanceof JsonPieces ? JSON.parse(page.toString()) : page) as KindPage<T>
}

async function listPage(kind: RoutedKind, call: ListCall, namespace: DnsLabel | undefined): Promise<JsonPieces> {
  const { limit = DEFAULT_LIMIT, cursor, labelSelector } = call.query
  const filter = [namespace ?? '', labelSelector ?? '']
  const position = cursor === undefined ? undefined : call.cursors.open(cursor, filter)
  const pieces = await call.caller.cluster.listRaw(toResource(kind), {
    limit,
    signal: call.signal,
    ...(namespace === undefined ? {} : { namespace }),
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(typeof position === 'string' ? { continue: position } : {}),
  })
  const list = cutList(pieces)
  const items = call.query.managedFields === true ? list.items : cutManagedFields(list.items)
  return joinList(items, list.continue === undefined ? null : call.cursors.seal(list.continue, filter))
}

/** Position of a walk over namespaces: after a completed one, or inside the next. */
interface Place {
  readonly after: string
  readonly inside?: { readonly namespace: string; readonly continue: string }
}

async function walk(kind: RoutedKind, call: ListCall): Promise<object> {
  const { limit = DEFAULT_LIMIT, cursor, labelSelector } = call.query
  if (call.directory === undefined) throw new Fail('not_wired')
  const filter = ['walk', labelSelector ?? '']
  const start = cursor === undefined ? { after: '' } : toPlace(call.cursors.open(cursor, filter))
  const items: KubeObject[] = []
  let done = start.after
  let next: Place | undefined
  await call.directory.permitted(call.caller, 'list', rightsResource(kind), start.after, async ({ namespace }) => {
    if (namespace === '') return 'more'
    const inside = start.inside?.namespace === namespace ? { continue: start.inside.continue } : {}
    const room = limit - items.length
    const options: ListOptions = { namespace, limit: Math.max(room, 1), signal: call.signal, ...inside }
    const page = await call.caller.cluster.list(
      toResource(kind),
      labelSelector === undefined ? options : { ...options, labelSelector },
    )
    // A full page has a cursor only if another namespace has an object (CON8).
    if (room === 0 && page.items.length > 0) next = { after: done }
    else if (page.continue !== undefined) next = { after: done, inside: { namespace, continue: page.continue } }
    if (room > 0) items.push(...page.items)
    done = namespace
    return next === undefined ? 'more' : 'full'
  })
  return { items, nextCursor: next === undefined ? null : call.cursors.seal(next, filter) }
}

// The cursor is signed, so its content is trusted and only its form is checked.
function toPlace(position: unknown): Place {
  if (typeof position !== 'object' || position === null || !('after' in position)) throw new Fail('invalid_cursor')
  return position as Place
}
