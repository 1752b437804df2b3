import type { TProperties } from 'typebox'
import type { KubeObject } from '#core/kube/client.ts'
import type { Call } from '../endpoint/endpoint.ts'
import { JsonPieces } from '../reply/raw-list.ts'

/** What a list or an object of a kind shows on request, beside what the API server returns. */
export interface ObjectIncludes {
  /** Parameters that ask for it. */
  readonly query: TProperties
  /** Returns a function that adds fields, or undefined if the query asks for none. Called before the read, so that a wrong query is refused first. */
  prepare(call: IncludeCall): AddFields | undefined
}

/** Adds fields to objects that the caller has read. */
export type AddFields = (objects: readonly KubeObject[]) => Promise<readonly KubeObject[]>

/** A call of a list or of an object. */
export type IncludeCall = Pick<Call<unknown, Readonly<Record<string, unknown>>, unknown>, 'query' | 'caller' | 'signal'>

/** Adds fields to the objects of a page, which may be the bytes of the API server. */
export async function addToPage(page: unknown, add: AddFields): Promise<object> {
  const read = (page instanceof JsonPieces ? JSON.parse(page.toString()) : page) as {
    readonly items: readonly KubeObject[]
  }
  return { ...read, items: await add(read.items) }
}
