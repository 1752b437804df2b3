import type { Caller } from '#core/cluster/caller.ts'
import { mapConcurrently } from '#core/async/map-concurrently.ts'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint, Call } from '#core/http/endpoint/endpoint.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { parseLabel } from '#core/kube/names.ts'
import { ShareList, ShareListQuery } from '#schemas/api/sharing.ts'
import type { SharingServices } from '../services/create-services.ts'
import { listSharesOf } from '../store/shares.ts'
import type { SelectedShare, SharingTables } from '../contract/tables.ts'
import { toShare } from './to-share.ts'

const DEFAULT_LIMIT = 50
// Maximum number of shares read and of namespaces reviewed for one page. A page may therefore be shorter than requested.
const mostRead = 1_000
const mostReviews = 64

type OwnCall = Pick<Call<unknown, { readonly limit?: number; readonly cursor?: string }, unknown>, 'query' | 'caller'> &
  Pick<Call<unknown, unknown, unknown>, 'cursors'>

/** Shares of the caller, in namespaces whose runs the caller may still `get`. */
export function myShares({ store }: Pick<SharingServices, 'store'>): AnyEndpoint {
  return endpoint({
    method: 'GET',
    url: '/my/shares',
    id: 'listMyShares',
    summary: 'List the shares that the caller created and that have not expired, newest first.',
    authz: { kind: 'owner' },
    query: ShareListQuery,
    response: { 200: ShareList },
    handle: (call) => pageOf(store, call),
  })
}

async function pageOf(store: SharingServices['store'], { query, caller, cursors }: OwnCall) {
  const { limit = DEFAULT_LIMIT, cursor } = query
  const bound = { of: caller.username }
  const reviews = createReviews(caller)
  const items: SelectedShare[] = []
  let after = cursor === undefined ? undefined : toId(cursors.open(cursor, bound))
  for (let read = 0; read < mostRead && reviews.count() < mostReviews;) {
    const rows = await listSharesOf(store.reader<SharingTables>(), caller.username, {
      limit: limit + 1,
      after: after === undefined ? undefined : [after],
    })
    await reviews.make(rows)
    for (const row of rows) {
      // One row more than the page shows that there is another page.
      if (items.length === limit) return toPage(items, cursors.seal(after, bound))
      if (reviews.allows(row)) items.push(row)
      after = row.id
    }
    if (rows.length <= limit) return toPage(items, null)
    read += rows.length
  }
  return toPage(items, cursors.seal(after, bound))
}

function toPage(items: readonly SelectedShare[], nextCursor: string | null) {
  return { items: items.map(toShare), nextCursor }
}

function toId(position: unknown): string {
  if (typeof position !== 'string') throw new Fail('invalid_cursor')
  return position
}

/** Reviews of `get runs` for the namespaces of shares, one per namespace. */
function createReviews(caller: Pick<Caller, 'may'>) {
  const known = new Map<string, boolean>()
  return {
    count: () => known.size,
    allows: ({ namespace }: SelectedShare) => known.get(namespace) === true,
    make: async (rows: readonly SelectedShare[]): Promise<void> => {
      const unknown = [...new Set(rows.map(({ namespace }) => namespace))].filter((one) => !known.has(one))
      await mapConcurrently(unknown, async (namespace) => {
        const access = await caller.may('get', 'runs', { namespace: parseLabel('namespace', namespace) })
        known.set(namespace, access !== undefined)
      })
    },
  }
}
