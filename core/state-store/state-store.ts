import { Fail } from '#core/errors/domain-error.ts'

/**
 * Store of the state role for short-lived state: session memory, request rates, concurrency. Adapters: Valkey or Redis, and in process. Both
 * pass one contract suite. Every call rejects with `state_store_unavailable` within `CALL_DEADLINE_MS` if the server does not respond. The
 * outcome of that call is then unknown.
 */
export interface StateStore {
  readonly lists: BoundedLists
  readonly admissions: Admissions
  /** Rejects if the store does not respond. */
  check(): Promise<void>
  close(): Promise<void>
}

/** Deadline of one call to the server. */
export const CALL_DEADLINE_MS = 2_000

/** Creates the error of a store that does not respond. The text names no address. */
export function stateStoreUnavailable(detail?: string, cause?: unknown): Fail {
  return new Fail('state_store_unavailable', detail, { cause })
}

/** A group of lists in a space, whose groups share its bounds. */
export interface GroupName {
  readonly space: string
  readonly group: string
}

/** A list of a group. Groups never share lists, regardless of their names. */
export interface ListName extends GroupName {
  readonly list: string
}

/** Bounds of an append. Bytes are those of the values in UTF-8. */
export interface ListLimits {
  /** Time until the list expires, refreshed by each append. */
  readonly ttlMs: number
  readonly maxListBytes: number
  /** The oldest entries of a list of its maximum size are dropped, instead of a refusal. */
  readonly dropsOldest?: boolean
  /** The oldest entries beyond it are dropped. */
  readonly maxListEntries: number
  readonly maxGroupBytes: number
  readonly maxGroupLists: number
  readonly maxSpaceBytes: number
  readonly maxSpaceLists: number
}

/** The bound that an append would have exceeded: of the list, the group, the space, or the store itself. */
export type ExceededBound = 'list-bytes' | 'group-bytes' | 'group-lists' | 'space-bytes' | 'space-lists' | 'store'

/** Outcome of an append: the new length of the list, or the bound that prevented the append. */
export type AppendOutcome = { readonly length: number } | { readonly exceeded: ExceededBound }

/** Size and expiry of a list. */
export interface ListUsage {
  readonly list: string
  readonly bytes: number
  readonly expiresInMs: number
}

/** Usage of a group by its lists that have not expired. */
export interface GroupUsage {
  readonly bytes: number
  readonly lists: number
}

/** Lists that are appended to, expire as a whole, and are bounded per list, per group and per space. */
export interface BoundedLists {
  /** Appends one value. Readers see the list with or without the value. */
  append(name: ListName, value: string, limits: ListLimits): Promise<AppendOutcome>
  /** Returns all values in order; empty if the list does not exist. */
  read(name: ListName): Promise<readonly string[]>
  usage(name: GroupName): Promise<GroupUsage>
  /** Returns the lists of a group that were written last, newest first. */
  newest(name: GroupName, limit: number): Promise<readonly ListUsage[]>
  /** Removes a list; false if there was none. */
  remove(name: ListName): Promise<boolean>
  /** Removes every list of a group. */
  removeGroup(name: GroupName): Promise<void>
}

/** At most `limit` calls in any window of that length. */
export interface RateWindow {
  readonly key: string
  readonly limit: number
  readonly windowMs: number
}

/** At most `limit` calls at once. A slot is free after `release`, or `ttlMs` after its last renewal. */
export interface LeaseLimit {
  readonly key: string
  readonly limit: number
  readonly ttlMs: number
}

/** A call that wants to be admitted. All of its limits are in one group. */
export interface AdmissionRequest {
  readonly group: string
  readonly id: string
  readonly rates?: readonly RateWindow[]
  readonly leases?: readonly LeaseLimit[]
}

/** Outcome of `acquire`; `key` is the limit that refused the call. */
export type AdmissionOutcome =
  | { readonly admitted: true }
  | {
      readonly admitted: false
      readonly kind: 'rate' | 'concurrency'
      readonly key: string
      readonly retryAfterMs: number
    }

/** The slots of one call. */
export interface HeldLeases {
  readonly group: string
  readonly id: string
  readonly keys: readonly string[]
}

/** Live counts of a group. */
export interface AdmissionUsage {
  readonly rates: Readonly<Record<string, number>>
  readonly leases: Readonly<Record<string, number>>
}

/** Rates and concurrency by the clock of the store (B6). */
export interface Admissions {
  /**
   * Admits the call under every limit, or under none. Idempotent by `id` while its leases are live: it is admitted again without being
   * counted, and its leases are extended. A request without leases is counted each time.
   */
  acquire(request: AdmissionRequest): Promise<AdmissionOutcome>
  /** Extends the leases of a call. Returns false if one of them has expired; then none is extended. */
  renew(held: HeldLeases & { readonly ttlMs: number }): Promise<boolean>
  /** Frees the slots of a call once; false if it held none. */
  release(held: HeldLeases): Promise<boolean>
  usage(request: {
    readonly group: string
    readonly rates?: readonly Omit<RateWindow, 'limit'>[]
    readonly leases?: readonly string[]
  }): Promise<AdmissionUsage>
}

/** Buckets of a rate window. A bucket counts until all of it has left the window, so a limit is never exceeded. */
export const RATE_BUCKETS = 60

/** Longest wait that a refusal for concurrency proposes: a slot may become free at any time. */
export const CONCURRENCY_RETRY_MS = 1_000
