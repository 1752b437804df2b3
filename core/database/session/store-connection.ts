import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely'
import { isStalePlan, toStoreFailure } from './database-errors.ts'
import { isSeveral } from './client-session.ts'
import type { Session, Statement, StatementResult } from './session.ts'

interface Queued {
  readonly statement: Statement
  /** Absent for statements whose result is not awaited. */
  readonly waiter?: { resolve(result: StatementResult): void; reject(error: unknown): void }
}

const last = new WeakSet<CompiledQuery>()
const deferred = new WeakSet<CompiledQuery>()

/** Marks a statement as the last of its transaction: COMMIT is in the same message. */
export function withCommit(query: CompiledQuery): CompiledQuery {
  last.add(query)
  return query
}

/**
 * Marks a statement of a transaction whose result is not needed. It is sent with the next one, at the latest with COMMIT, and returns no
 * rows. If it fails, that statement or COMMIT rejects with its error.
 */
export function withNext(query: CompiledQuery): CompiledQuery {
  deferred.add(query)
  return query
}

/**
 * One connection of the store, in use by one caller. Statements that are issued in one turn of the event loop are one message, and BEGIN is in
 * the message of the first statement.
 */
export class StoreConnection implements DatabaseConnection {
  readonly #session: Session
  readonly #access: 'read' | 'write'
  #queue: Queued[] = []
  #sending = false
  #transaction: 'none' | 'begun' | 'sent' | 'committed' = 'none'
  #failure: { readonly error: unknown } | undefined
  #broken = false
  #released = false
  constructor(session: Session, access: 'read' | 'write') {
    this.#session = session
    this.#access = access
  }

  begin(statement: string): void {
    this.#transaction = 'begun'
    this.#failure = undefined
    this.#queue.push({ statement: withoutParameters(statement) })
  }

  async commit(): Promise<void> {
    if (this.#transaction === 'committed') return
    const unused = this.#transaction === 'begun' && this.#queue.length === 1
    if (unused) this.#queue = []
    else await this.#commit()
  }

  /** Never rejects: the error that caused it matters, not that the connection is lost as well. */
  async rollback(): Promise<void> {
    this.#rejectQueue(new Error('the transaction was rolled back'))
    if (this.#transaction === 'sent') await this.#send(withoutParameters('rollback')).catch(() => this.#markBroken())
    this.#transaction = 'none'
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#released) throw new Error('the transaction has ended')
    if (this.#transaction === 'none') return toQueryResult(await this.#executeAgain(query))
    if (deferred.has(query)) {
      this.#queue.push({ statement: query })
      return { rows: [] }
    }
    const result = this.#send(query)
    if (last.has(query)) await Promise.all([result, this.#commit()])
    return toQueryResult(await result)
  }

  // oxlint-disable-next-line require-yield
  async *streamQuery<R>(): AsyncGenerator<QueryResult<R>> {
    throw new Error('streaming is not supported: page by keyset')
  }

  release(): void {
    this.#released = true
    // A statement whose result was not awaited may still run.
    this.#session.release(this.#broken || this.#sending)
  }

  // A plan prepared before a migration is refused once. The statement is then prepared again.
  async #executeAgain(query: CompiledQuery): Promise<StatementResult> {
    try {
      return await this.#executeAlone(query)
    } catch (error) {
      if (!isStalePlan(error)) throw error
      return this.#executeAlone(query)
    }
  }

  async #executeAlone(query: CompiledQuery): Promise<StatementResult> {
    if (this.#access === 'read' || isRead(query)) return this.#send(query)
    // The session is read-only, so a single write of core gets its own transaction.
    this.begin('begin read write')
    try {
      const [result] = await Promise.all([this.#send(query), this.#commit()])
      return result
    } catch (error) {
      await this.rollback()
      throw error
    } finally {
      this.#transaction = 'none'
    }
  }

  async #commit(): Promise<void> {
    const { command } = await this.#send(withoutParameters('commit'))
    // COMMIT of a transaction with a failed statement succeeds as ROLLBACK.
    if (command !== 'COMMIT') throw this.#failure?.error ?? new Error('the transaction was rolled back')
    this.#transaction = 'committed'
  }

  #send(statement: Statement): Promise<StatementResult> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ statement, waiter: { resolve, reject } })
      if (this.#sending) return
      this.#sending = true
      // Runs after the promises of this turn, which may issue further statements.
      process.nextTick(() => {
        void this.#drain().catch(reject)
      })
    })
  }

  async #drain(): Promise<void> {
    while (this.#queue.some(({ waiter }) => waiter !== undefined)) await this.#exchange(this.#nextMessage())
    this.#sending = false
  }

  #nextMessage(): readonly Queued[] {
    const alone = this.#queue.findIndex(({ statement }) => isSeveral(statement))
    return this.#queue.splice(0, alone === -1 ? this.#queue.length : Math.max(alone, 1))
  }

  async #exchange(message: readonly Queued[]): Promise<void> {
    if (this.#transaction === 'begun') this.#transaction = 'sent'
    const { results, failure } = await this.#session.exchange(message.map(({ statement }) => statement))
    for (const [index, { waiter }] of message.entries()) {
      const result = results[index]
      if (result !== undefined) waiter?.resolve(result)
    }
    if (failure === undefined) return
    const error = toStoreFailure(failure.error)
    if (error !== failure.error) this.#markBroken()
    this.#failure ??= { error }
    for (const { waiter } of message.slice(results.length)) waiter?.reject(error)
    this.#rejectQueue(error)
  }

  #rejectQueue(error: unknown): void {
    for (const { waiter } of this.#queue.splice(0)) waiter?.reject(error)
  }

  #markBroken(): void {
    this.#broken = true
  }
}

function withoutParameters(sql: string): Statement {
  return { sql, parameters: [] }
}

function toQueryResult<R>({ rows, affected }: StatementResult): QueryResult<R> {
  return affected === undefined ? { rows: rows as R[] } : { rows: rows as R[], numAffectedRows: affected }
}

// A statement that locks rows or is not recognised runs in a transaction that can write, where the database decides.
function isRead({ sql }: CompiledQuery): boolean {
  return /^\s*select\b/i.test(sql) && !/\bfor\s+(?:update|share|no\s+key|key\s+share)\b/i.test(sql)
}
