import type { DnsLabel } from '#core/kube/names.ts'
import { isLabel } from '#core/kube/names.ts'
import type { Store } from '#core/event-store/store.ts'
import type { Access, Caller } from './caller.ts'
import type { ObjectIndexTables } from './object-index-tables.ts'

/** Namespaces that the manager has observed, or the configured ones, by name. Only names that pass a review are ever returned. */
export interface Directory {
  /** Whether this installation serves selected namespaces only; then a list of the whole cluster walks this directory. */
  readonly limited?: boolean
  /** Names after a name, in order. */
  namesAfter(after: string, limit: number): Promise<readonly DnsLabel[]>
  /** Walks the namespaces in name order, reviewing each as the caller (16 in parallel), until `page` returns that it is full. */
  permitted<V extends string, R extends string>(
    caller: Caller,
    verb: V,
    resource: R,
    after: string,
    page: (access: Access<V, R>) => Promise<'more' | 'full'>,
  ): Promise<{ readonly lastName: string | undefined }>
}

// Concurrent reviews: enough to hide their 0.6 ms each, too few for one walk to starve other callers.
const AT_ONCE = 16

/** The namespace directory on the manager's object index. */
export function createDirectory(store: Store): Directory {
  return walk((after, limit) => readNames(store, after, limit))
}

/** Creates the directory of selected namespaces: `names`, in order. It needs no store. */
export function createServedDirectory(names: readonly DnsLabel[]): Directory {
  return { ...walk(async (after, limit) => names.filter((name) => name > after).slice(0, limit)), limited: true }
}

function walk(namesAfter: Directory['namesAfter']): Directory {
  return {
    namesAfter,
    // oxlint-disable-next-line max-params -- the shape is the contract's (directory.ts)
    permitted: async (caller, verb, resource, after, page) => {
      let last = after
      for (;;) {
        const names = await namesAfter(last, AT_ONCE)
        for (const access of await reviewAll(caller, verb, resource, names))
          if (access !== undefined && (await page(access)) === 'full') return { lastName: access.namespace }
        if (names.length < AT_ONCE) return { lastName: undefined }
        last = names.at(-1) ?? last
      }
    },
  }
}

function reviewAll<V extends string, R extends string>(
  caller: Caller,
  verb: V,
  resource: R,
  names: readonly DnsLabel[],
): Promise<(Access<V, R> | undefined)[]> {
  return Promise.all(names.map((namespace) => caller.may(verb, resource, { namespace })))
}

async function readNames(store: Store, after: string, limit: number): Promise<DnsLabel[]> {
  const rows = await store
    .reader<ObjectIndexTables>()
    .selectFrom('object_index')
    .select('name')
    .distinct()
    .where('kind', '=', 'Namespace')
    .where('namespace', '=', '')
    .where('deleted_at', 'is', null)
    .where('name', '>', after)
    .orderBy('name')
    .limit(limit)
    .execute()
  return rows.map((row) => row.name).filter(isLabel)
}
