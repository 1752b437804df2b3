/** Data that a part of the platform keeps, with its retention and quotas. Names are checked by the generator and by a test. */
export interface KeptData {
  readonly what: string
  /** Tables of PostgreSQL; empty for data in another store. */
  readonly tables: readonly string[]
  /** Retention: settings, and other events that remove the data. */
  readonly kept: string
  readonly keptBy: readonly string[]
  /** Settings of its quotas; empty if `bounded` describes the limit. */
  readonly quotas: readonly string[]
  readonly bounded?: string
  readonly metrics: readonly string[]
  /** Error codes above a quota. */
  readonly errors: readonly string[]
}
