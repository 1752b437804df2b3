import { CompiledQuery } from 'kysely'
import type { DatabaseConnection, Driver, QueryResult, TransactionSettings } from 'kysely'
import { assertOutsideTransaction } from '#core/async/transaction-guard.ts'
import { toStoreFailure } from './database-errors.ts'
import { toParameter } from './type-parsers.ts'

/** What one statement answered. */
export interface StatementResult {
  readonly rows: readonly unknown[]
  readonly affected: bigint | undefined
}

/** One connection, held by one user at a time. */
export interface Session {
  /** Without parameters the text may hold several statements: rows are those of the last one that answered any. */
  run(sql: string, parameters: readonly unknown[]): Promise<StatementResult>
  /** `broken`: its state is unknown, so it is not used again. */
  release(broken: boolean): void
}

/** Of the results of several statements the last with rows, or the last one. */
export function lastWithRows<Result extends { readonly rows: readonly unknown[] }>(results: readonly Result[]): Result {
  const found = results.findLast(({ rows }) => rows.length > 0) ?? results.at(-1)
  if (found === undefined) throw new TypeError('a text without a statement')
  return found
}

/** How many connections are held, how many are open and free, and how many users wait for one. */
export interface ConnectionUsage {
  readonly inUse: number
  readonly idle: number
  readonly waiting: number
}

/** Where connections come from: a pool of `pg`, or PGlite's only one. */
export interface SessionSource {
  open(): Promise<Session>
  usage(): ConnectionUsage
  close(): Promise<void>
}

const committing = new WeakSet<CompiledQuery>()

/** A statement without parameters that goes to the server together with COMMIT: the last of a transaction. */
export function withCommit(statement: string): CompiledQuery {
  const query = CompiledQuery.raw(`${statement}; commit`)
  committing.add(query)
  return query
}

/** The kysely driver of both adapters: the root handle refuses to open a connection inside a transaction. */
export class SessionDriver implements Driver {
  readonly #source: SessionSource
  constructor(source: SessionSource) {
    this.#source = source
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<SessionConnection> {
    assertOutsideTransaction('the root database handle')
    try {
      return new SessionConnection(await this.#source.open())
    } catch (error) {
      throw toStoreFailure(error)
    }
  }

  async beginTransaction(connection: SessionConnection, settings: TransactionSettings): Promise<void> {
    const level = settings.isolationLevel === undefined ? '' : ` isolation level ${settings.isolationLevel}`
    const mode = settings.accessMode === undefined ? '' : ` ${settings.accessMode}`
    await connection.executeQuery(CompiledQuery.raw(`begin${level}${mode}`))
    connection.committed = false
  }

  async commitTransaction(connection: SessionConnection): Promise<void> {
    if (!connection.committed) await connection.executeQuery(CompiledQuery.raw('commit'))
  }

  // The error that made the transaction fail matters, not that its connection is gone too.
  async rollbackTransaction(connection: SessionConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('rollback')).catch(() => connection.markBroken())
  }

  async releaseConnection(connection: SessionConnection): Promise<void> {
    connection.release()
  }

  async destroy(): Promise<void> {
    await this.#source.close()
  }
}

class SessionConnection implements DatabaseConnection {
  readonly #session: Session
  #broken = false
  /** The transaction ended with its last statement. */
  committed = false
  constructor(session: Session) {
    this.#session = session
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
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
