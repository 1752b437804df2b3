import { CompiledQuery } from 'kysely'
import type { DatabaseConnection, Driver, QueryResult, TransactionSettings } from 'kysely'
import { assertOutsideTransaction } from '#core/async/transaction-guard.ts'
import { toStoreFailure } from './database-errors.ts'
import { toParameter } from './type-parsers.ts'

/** Result of one statement. */
export interface StatementResult {
  readonly rows: readonly unknown[]
  readonly affected: bigint | undefined
}

/** One connection, used by one caller at a time. */
export interface Session {
  /** Without parameters the text may contain several statements; returns the rows of the last one with rows. */
  run(sql: string, parameters: readonly unknown[]): Promise<StatementResult>
  /** `broken`: the state is unknown, so the connection is discarded. */
  release(broken: boolean): void
}

/** Returns the last result with rows, or the last result. */
export function lastWithRows<Result extends { readonly rows: readonly unknown[] }>(results: readonly Result[]): Result {
  const found = results.findLast(({ rows }) => rows.length > 0) ?? results.at(-1)
  if (found === undefined) throw new TypeError('a text without a statement')
  return found
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
  close(): Promise<void>
}

const committing = new WeakSet<CompiledQuery>()

/** A statement without parameters that is sent together with COMMIT, as the last of a transaction. */
export function withCommit(statement: string): CompiledQuery {
  const query = CompiledQuery.raw(`${statement}; commit`)
  committing.add(query)
  return query
}

/** Session setting of every connection: only a transaction that says so can write. */
export const READ_ONLY_SESSION = 'default_transaction_read_only'

/**
 * The kysely driver of both adapters. A handle with `write` begins transactions that can write; a handle with `read` leaves the sessions as
 * they are, so the database refuses its writes. Neither opens a connection inside a transaction.
 */
export class SessionDriver implements Driver {
  readonly #source: SessionSource
  readonly #access: 'read' | 'write'
  constructor(source: SessionSource, access: 'read' | 'write') {
    this.#source = source
    this.#access = access
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<SessionConnection> {
    assertOutsideTransaction('the root database handle')
    try {
      return new SessionConnection(await this.#source.open(), this.#access)
    } catch (error) {
      throw toStoreFailure(error)
    }
  }

  async beginTransaction(connection: SessionConnection, settings: TransactionSettings): Promise<void> {
    const level = settings.isolationLevel === undefined ? '' : ` isolation level ${settings.isolationLevel}`
    const mode = settings.accessMode ?? (this.#access === 'write' ? 'read write' : 'read only')
    await connection.begin(`begin${level} ${mode}`)
  }

  async commitTransaction(connection: SessionConnection): Promise<void> {
    if (!connection.committed) await connection.end('commit')
  }

  // The original error matters, not that its connection is lost as well.
  async rollbackTransaction(connection: SessionConnection): Promise<void> {
    await connection.end('rollback').catch(() => connection.markBroken())
  }

  async releaseConnection(connection: SessionConnection): Promise<void> {
    connection.release()
  }

  async destroy(): Promise<void> {
    await this.#source.close()
  }
}

// Of a statement that takes row locks or is not recognised, the database decides in a transaction that can write.
function isRead({ sql }: CompiledQuery): boolean {
  return /^\s*select\b/i.test(sql) && !/\bfor\s+(?:update|share|no\s+key|key\s+share)\b/i.test(sql)
}

class SessionConnection implements DatabaseConnection {
  readonly #session: Session
  readonly #access: 'read' | 'write'
  #broken = false
  #inTransaction = false
  /** The last statement ended the transaction. */
  committed = false
  constructor(session: Session, access: 'read' | 'write') {
    this.#session = session
    this.#access = access
  }

  async begin(statement: string): Promise<void> {
    await this.#execute(CompiledQuery.raw(statement))
    this.#inTransaction = true
    this.committed = false
  }

  async end(statement: 'commit' | 'rollback'): Promise<void> {
    await this.#execute(CompiledQuery.raw(statement))
    this.#inTransaction = false
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#inTransaction || this.#access === 'read' || isRead(query)) return this.#execute(query)
    // The session is read-only, so a single write of core gets a transaction of its own.
    await this.begin('begin read write')
    try {
      const result = await this.#execute<R>(query)
      await this.end('commit')
      return result
    } catch (error) {
      await this.end('rollback').catch(() => this.markBroken())
      throw error
    }
  }

  async #execute<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    try {
      const result = await this.#session.run(query.sql, query.parameters.map(toParameter))
      const rows = result.rows as R[]
      this.committed = committing.has(query)
      return result.affected === undefined ? { rows } : { rows, numAffectedRows: result.affected }
    } catch (error) {
      const failure = toStoreFailure(error)
      if (failure !== error) this.#broken = true
      throw failure
    }
  }

  // oxlint-disable-next-line require-yield
  async *streamQuery<R>(): AsyncGenerator<QueryResult<R>> {
    throw new Error('streaming is not supported: page by keyset')
  }

  markBroken(): void {
    this.#broken = true
  }

  release(): void {
    this.#session.release(this.#broken)
  }
}
