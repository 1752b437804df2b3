import type { ObjectKey, ObjectPrefix } from './object-key.ts'

/**
 * Store of objects by key. Adapters: S3, and a folder for the embedded default. Both pass one contract suite. Every call rejects with
 * `ObjectStoreError` within `OBJECT_DEADLINE_MS` if the server does not respond. The outcome of that call is then unknown.
 */
export interface ObjectStore {
  /** Stores an object, replacing one with the same key. Readers see either the old or the new one as a whole. */
  put(key: ObjectKey, bytes: Buffer): Promise<void>
  /** Returns an object; undefined if it does not exist. Rejects with `too_large` above `maxBytes`. */
  get(key: ObjectKey, maxBytes: number): Promise<Buffer | undefined>
  /** Returns keys below a prefix in the order of their bytes, only those above `after`. Fewer than `limit` keys are the last ones. */
  list(prefix: ObjectPrefix, page: ObjectPage): Promise<readonly ObjectKey[]>
  /** Removes objects; keys without an object are ignored. */
  remove(keys: readonly ObjectKey[]): Promise<void>
  close(): Promise<void>
}

/** A page of keys: its size, from 1 to 1,000, and the last key of the page before it. */
export interface ObjectPage {
  readonly limit: number
  readonly after?: ObjectKey | undefined
}

/** Deadline of one call, with its body. */
export const OBJECT_DEADLINE_MS = 10_000

/** Largest size of a page. */
export const MAX_PAGE = 1_000

/** Why a call failed. `unavailable`: it may succeed later. `foreign`: something other than an object store responds. */
export type ObjectStoreProblem = 'unavailable' | 'refused' | 'too_large' | 'foreign'

/** A failed call. The message names neither address nor access key, and quotes nothing from the server but short names. */
export class ObjectStoreError extends Error {
  override readonly name = 'ObjectStoreError'
  readonly problem: ObjectStoreProblem

  constructor(problem: ObjectStoreProblem, message: string) {
    super(message)
    this.problem = problem
  }
}

/** The error of a successful response that no object store sends. */
export function foreign(contentType: string | null): ObjectStoreError {
  const [type = ''] = /^[\w.+-]{1,40}\/[\w.+-]{1,60}(?=$|;)/.exec(contentType ?? '') ?? []
  const got = type === '' ? 'without a content type' : `of type ${type}`
  return new ObjectStoreError('foreign', `a response ${got} is not that of an object store`)
}

/** The error of an object above the limit of its reader. */
export function tooLarge(maxBytes: number): ObjectStoreError {
  return new ObjectStoreError('too_large', `the object is above ${maxBytes} bytes`)
}
