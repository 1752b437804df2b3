import type { KubeObject } from '#core/kube/client.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { ListOrder } from '#schemas/api/common.ts'
import { scanObjects } from './scan-objects.ts'
import type { ListCall, Place } from './scan-objects.ts'
import type { RoutedKind } from './resource-schemas.ts'

/** A page of objects that match a query. */
export interface MatchingPage {
  readonly items: readonly KubeObject[]
  readonly nextCursor: string | null
}

/** Maximum number of objects that one response orders: they are held in memory. */
const MAX_ORDERED = 2_000

/** Whether a query filters by name or condition, or orders its list, which the API server cannot do. */
export function isMatching({ q = '', condition = '', order }: ListCall['query']): boolean {
  return q !== '' || condition !== '' || order !== undefined
}

/** One page of the objects whose names begin with `q`, regardless of case, and that have the condition, in the order of the query. */
export async function listMatching(kind: RoutedKind, call: ListCall, limit: number): Promise<MatchingPage> {
  const { q = '', condition = '', order, cursor, namespace = '', labelSelector = '', scope = '' } = call.query
  const bound = ['match', namespace, labelSelector, scope, q, condition, order ?? '']
  const position = cursor === undefined ? undefined : call.cursors.open(cursor, bound)
  // Names in Kubernetes are in lowercase.
  const [isNamed, isSo] = [startsWith(q.toLowerCase()), hasCondition(condition)]
  const matches = (object: KubeObject) => isNamed(object) && isSo(object)
  const { items, next } =
    order === undefined
      ? await readMatches(kind, call, { matches, limit, from: toPlace(position) })
      : await readOrdered(kind, call, { matches, limit, order, after: toKey(position) })
  return { items, nextCursor: next === undefined ? null : call.cursors.seal(next, bound) }
}

interface Cut {
  readonly items: readonly KubeObject[]
  readonly next: Place | readonly string[] | undefined
}

interface Matching {
  readonly matches: (object: KubeObject) => boolean
  readonly limit: number
}

// Ends with the first object beyond the page, so that a page which is exactly full has no cursor (CON8).
async function readMatches(
  kind: RoutedKind,
  call: ListCall,
  { matches, limit, from }: Matching & { readonly from: Place },
): Promise<Cut> {
  const items: KubeObject[] = []
  let last = from
  let next: Place | undefined
  await scanObjects(kind, call, from, (object, place) => {
    if (!matches(object)) return 'more'
    if (items.length === limit) {
      next = last
      return 'full'
    }
    items.push(object)
    last = place
    return 'more'
  })
  return { items, next }
}

async function readOrdered(
  kind: RoutedKind,
  call: ListCall,
  { matches, limit, order, after }: Matching & { readonly order: ListOrder; readonly after: Key | undefined },
): Promise<Cut> {
  const found: { readonly key: Key; readonly object: KubeObject }[] = []
  await scanObjects(kind, call, start, (object) => {
    if (!matches(object)) return 'more'
    if (found.length === MAX_ORDERED) throw tooMany()
    found.push({ key: keyOf(object, order), object })
    return 'more'
  })
  const sign = order === 'newest' ? -1 : 1
  const page = found
    .filter(({ key }) => after === undefined || sign * compare(key, after) > 0)
    .toSorted((a, b) => sign * compare(a.key, b.key))
    .slice(0, limit + 1)
  const last = page.length > limit ? page[limit - 1]?.key : undefined
  return { items: page.slice(0, limit).map(({ object }) => object), next: last }
}

const start: Place = { done: '' }

type Key = readonly [string, string]

// Creation times have whole seconds, so the name decides between objects of one second.
function keyOf({ metadata }: KubeObject, order: ListOrder): Key {
  const { name, namespace = '', creationTimestamp = '' } = metadata
  return order === 'name' ? [name, namespace] : [creationTimestamp, `${namespace}/${name}`]
}

function compare([a, more]: Key, [b, others]: Key): number {
  if (a !== b) return a < b ? -1 : 1
  return more === others ? 0 : more < others ? -1 : 1
}

function startsWith(prefix: string): (object: KubeObject) => boolean {
  return ({ metadata }) => metadata.name.startsWith(prefix)
}

function hasCondition(asked: string): (object: KubeObject) => boolean {
  if (asked === '') return () => true
  const isWanted = !asked.startsWith('!')
  const type = isWanted ? asked : asked.slice(1)
  // The API server has validated the status by the schema of its kind.
  const conditionsOf = ({ status }: KubeObject) => (status as ConditionedStatus | undefined)?.conditions ?? []
  return (object) => conditionsOf(object).some((one) => one.type === type && one.status === 'True') === isWanted
}

interface ConditionedStatus {
  readonly conditions?: readonly { readonly type: string; readonly status: string }[]
}

function tooMany(): Fail {
  const detail = `orders at most ${MAX_ORDERED} objects; narrow the list by namespace, q or labelSelector`
  return new Fail('invalid_query', `order ${detail}.`, { errors: [{ pointer: '?order', detail }] })
}

// Cursors are signed, so their content is trusted and only its form is checked.
function toPlace(position: unknown): Place {
  if (position === undefined) return start
  if (typeof position !== 'object' || position === null || !('done' in position)) throw new Fail('invalid_cursor')
  return position as Place
}

function toKey(position: unknown): Key | undefined {
  if (position === undefined) return undefined
  if (!Array.isArray(position) || position.length !== 2) throw new Fail('invalid_cursor')
  return [String(position[0]), String(position[1])]
}
