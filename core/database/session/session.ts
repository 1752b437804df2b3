/** A statement and its parameters. Without parameters the text may contain several statements. */
export interface Statement {
  readonly sql: string
  readonly parameters: readonly unknown[]
}

/** Result of one statement. `command` is that of the server: `INSERT`, `COMMIT`. */
export interface StatementResult {
  readonly rows: readonly unknown[]
  readonly command: string
  readonly affected: bigint | undefined
}

/** Outcome of an exchange: results in order up to the failing statement. Statements after it have not run. */
export interface ExchangeOutcome {
  readonly results: readonly StatementResult[]
  readonly failure?: { readonly error: unknown }
}

/** One connection, used by one caller at a time. */
export interface Session {
  /** Sends statements in one message and waits for all results. Never rejects. */
  exchange(statements: readonly Statement[]): Promise<ExchangeOutcome>
  /** `broken`: the state is unknown, so the connection is discarded. */
  release(broken: boolean): void
}

/** Number of connections in use, open and idle, and of callers waiting for one. */
export interface ConnectionUsage {
  readonly inUse: number
  readonly idle: number
  readonly waiting: number
}

/** Source of connections: a pool of `pg`, or the single one of PGlite. */
export interface SessionSource {
  open(): Promise<Session>
  usage(): ConnectionUsage
  /** Frequent statements are counted and prepared again. */
  renewStatements(): void
  close(): Promise<void>
}

/** Session setting of every connection: only an explicit read-write transaction can write. */
export const READ_ONLY_SESSION = 'default_transaction_read_only'
