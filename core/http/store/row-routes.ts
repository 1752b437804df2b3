import type { Static, TSchema } from 'typebox'
import type { Access } from '#core/cluster/caller.ts'
import { nothing } from '#schemas/api/common.ts'
import { endpoint } from '../endpoint/endpoint.ts'
import type { AnyEndpoint, Call, Endpoint } from '../endpoint/endpoint.ts'
import type { ParamsOf } from '../endpoint/path-params.ts'
import { storeList } from './store-list.ts'
import type { RowKey, RowPage, StoreListCall } from './store-list.ts'

// Routes of rows whose rights are those of a virtual resource. A plugin with tables of its own declares its routes by them; `storeCrud`
// declares all routes of a stored resource.

/** Names of rows in rights and in audit rows. */
export interface RowNames<Resource extends string = string> {
  readonly resource: Resource
  readonly kind: string
}

type Parts = 'url' | 'id' | 'summary' | 'docs' | 'params'

/** The rows of a list, reviewed below another object. */
export interface ReviewedRows<Resource extends string> {
  readonly access: Access<'list', Resource>
  /** Value of the path that selects the rows, such as the id of a run: cursors are bound to it. */
  readonly bound: unknown
}

/** Declares a list of rows. */
export interface RowList<R extends string, U extends string, P extends TSchema, Q extends TSchema, Item> extends Pick<
  Endpoint<P, Q, TSchema, never, U>,
  Parts
> {
  readonly query: Q
  /** Schema of the page. */
  readonly page: TSchema
  /** Review of rows below another object. Default: `list` in the namespace of the query, in the cluster, or where the caller may. */
  review?(call: Call<ParamsOf<U, Static<P>>, Static<Q>, unknown>): Promise<ReviewedRows<R>>
  /** Reads the filters of a call, before its reviews; returns what reads the rows. */
  select(
    call: Call<ParamsOf<U, Static<P>>, Static<Q>, unknown>,
  ): (access: Access<'list', R>, page: RowPage) => Promise<readonly Item[]>
  /** Position of a row in the order of the call. */
  keyOf(item: Item, call: Call<ParamsOf<U, Static<P>>, Static<Q>, unknown>): RowKey
  show(item: Item): unknown
}

/** A route that lists rows page by page. */
export function rowList<R extends string, const U extends string, Q extends TSchema, Item, P extends TSchema = TSchema>(
  { resource }: RowNames<R>,
  list: RowList<R, U, P, Q, Item>,
): AnyEndpoint {
  const { page, select, review, keyOf, show, ...parts } = list
  return endpoint({
    ...parts,
    method: 'GET',
    // The handler makes the review: with `scope=permitted` there is one per namespace.
    authz: { kind: 'row', verb: 'list', resource },
    response: { 200: page },
    handle: async (call) => {
      const read = select(call)
      const reviewed = await review?.(call)
      const { items, ...rest } = await storeList(call as StoreListCall, {
        resource,
        ...reviewed,
        read,
        keyOf: (item) => keyOf(item, call),
      })
      return { ...rest, items: items.map(show) }
    },
  })
}

/** Declares a creation. `review` comes before a stored response of the same idempotency key. */
export type RowCreate<R extends string, U extends string, P extends TSchema, B extends TSchema> = Pick<
  Created<R, U, P, B>,
  Parts | 'query' | 'body' | 'response' | 'handle'
> &
  Required<Pick<Created<R, U, P, B>, 'review'>>

type Created<R extends string, U extends string, P extends TSchema, B extends TSchema> = Endpoint<
  P,
  TSchema,
  B,
  { readonly kind: 'row'; readonly verb: 'create'; readonly resource: R },
  U
>

/** A route that creates a row, once per `Idempotency-Key`. */
export function rowCreate<R extends string, const U extends string, B extends TSchema, P extends TSchema = TSchema>(
  { resource, kind }: RowNames<R>,
  create: RowCreate<R, U, P, B>,
): AnyEndpoint {
  return endpoint({
    ...create,
    method: 'POST',
    authz: { kind: 'row', verb: 'create', resource },
    audit: { action: 'create', resourceKind: kind },
    idempotent: true,
  })
}

/** Declares a deletion. Its handler reviews `delete` in the namespace of the row. */
export type RowDelete<R extends string, U extends string, P extends TSchema> = Pick<
  Endpoint<P, TSchema, TSchema, { readonly kind: 'row'; readonly verb: 'delete'; readonly resource: R }, U>,
  Parts | 'handle'
>

/** A route that deletes a row. */
export function rowDelete<R extends string, const U extends string, P extends TSchema = TSchema>(
  { resource, kind }: RowNames<R>,
  remove: RowDelete<R, U, P>,
): AnyEndpoint {
  return endpoint({
    ...remove,
    method: 'DELETE',
    authz: { kind: 'row', verb: 'delete', resource },
    audit: { action: 'delete', resourceKind: kind },
    response: { 204: nothing },
  })
}
