import type { Driver, TransactionSettings } from 'kysely'
import { assertOutsideTransaction } from '#core/async/transaction-guard.ts'
import { toStoreFailure } from './database-errors.ts'
import { StoreConnection } from './store-connection.ts'
import type { SessionSource } from './session.ts'

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

  async acquireConnection(): Promise<StoreConnection> {
    assertOutsideTransaction('the root database handle')
    try {
      return new StoreConnection(await this.#source.open(), this.#access)
    } catch (error) {
      throw toStoreFailure(error)
    }
  }

  async beginTransaction(connection: StoreConnection, settings: TransactionSettings): Promise<void> {
    const level = settings.isolationLevel === undefined ? '' : ` isolation level ${settings.isolationLevel}`
    const mode = settings.accessMode ?? (this.#access === 'write' ? 'read write' : 'read only')
    connection.begin(`begin${level} ${mode}`)
  }

  async commitTransaction(connection: StoreConnection): Promise<void> {
    await connection.commit()
  }

  async rollbackTransaction(connection: StoreConnection): Promise<void> {
    await connection.rollback()
  }

  async releaseConnection(connection: StoreConnection): Promise<void> {
    connection.release()
  }

  async destroy(): Promise<void> {
    await this.#source.close()
  }
}
