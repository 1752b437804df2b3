import { constantFrom, oneof, constant, record } from 'fast-check'
import type { KindName } from './bodies.ts'

/** A JSON body. */
export type Body = { [key: string]: unknown }

/** One request in server-independent form: `rv` and `precondition` select the version or uid to fill in. */
export interface Step {
  readonly does: string
  readonly verb: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly kind: KindName
  /** Absent for the collection. */
  readonly name?: string
  readonly subresource?: 'status' | 'scale'
  readonly query: { readonly [key: string]: string }
  readonly type?: string
  readonly body?: unknown
  readonly rv?: 'fresh' | 'stale' | 'zero' | 'none'
  readonly precondition?: 'uid' | 'wrong uid' | 'rv' | 'stale rv'
  readonly user: 'admin' | 'alice'
  /** Follows `continue` to the end. */
  readonly walk?: boolean
  /** A change after the first page of a walk. */
  readonly between?: Step
  readonly path?: string
  /** Repeats the request until it returns this status: a grant becomes effective a moment later. */
  readonly until?: number
}

/** Few names, so that steps concern the same objects. */
export const name = constantFrom('a', 'b', 'c')

const flags = record(
  {
    fieldValidation: constantFrom('Strict', 'Warn', 'Ignore'),
    dryRun: constantFrom('All', 'All', 'None'),
    fieldManager: constantFrom('one', 'two', 'three'),
  },
  { requiredKeys: [] },
)

/** Query parameters of a write. */
export const query = oneof({ weight: 3, arbitrary: constant({}) }, { weight: 2, arbitrary: flags })

/** Mostly the administrator, sometimes a user with few permissions. */
export const user = oneof(
  { weight: 6, arbitrary: constant('admin' as const) },
  { weight: 1, arbitrary: constant('alice' as const) },
)
