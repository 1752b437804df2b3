import type { ClientBase, QueryResult } from 'pg'
import { isStalePlan } from './database-errors.ts'
import { Exchange } from './exchange.ts'
import type { PreparedStatements } from './prepared-statements.ts'
import type { ExchangeOutcome, Session, Statement, StatementResult } from './session.ts'

/** Session of a connected client of `pg`. `end` receives whether the client may be used again. */
export class ClientSession implements Session {
  readonly #client: ClientBase
  readonly #prepared: PreparedStatements
  readonly #end: (reusable: boolean) => void
  #stale = false
  constructor(client: ClientBase, prepared: PreparedStatements, end: (reusable: boolean) => void) {
    this.#client = client
    this.#prepared = prepared
    this.#end = end
  }

  async exchange(statements: readonly Statement[]): Promise<ExchangeOutcome> {
    const [first] = statements
    const outcome =
      statements.length === 1 && first !== undefined && isSeveral(first)
        ? await this.#sendTogether(first.sql)
        : await this.#send(statements)
    if (isStalePlan(outcome.failure?.error)) {
      this.#stale = true
      this.#prepared.renew()
    }
    return outcome
  }

  release(broken: boolean): void {
    this.#end(!broken && !this.#stale)
  }

  async #send(statements: readonly Statement[]): Promise<ExchangeOutcome> {
    return new Promise((resolve) => {
      try {
        this.#client.query(new Exchange(statements, this.#prepared, resolve))
      } catch (error) {
        resolve({ results: [], failure: { error } })
      }
    })
  }

  // The simple protocol: the only one that accepts several statements in a text.
  async #sendTogether(text: string): Promise<ExchangeOutcome> {
    try {
      const answer: QueryResult | QueryResult[] = await this.#client.query({ text })
      const results = Array.isArray(answer) ? answer : [answer]
      const last = results.findLast(({ rows }) => rows.length > 0) ?? results.at(-1)
      if (last === undefined) throw new TypeError('a text without a statement')
      return { results: [toResult(last)] }
    } catch (error) {
      return { results: [], failure: { error } }
    }
  }
}

/** Whether the text contains several statements, which are sent alone. A semicolon in a literal counts, which costs only time. */
export function isSeveral({ sql, parameters }: Statement): boolean {
  return parameters.length === 0 && /;\s*\S/.test(sql)
}

function toResult({ rows, command, rowCount }: QueryResult): StatementResult {
  const changed = /^(INSERT|UPDATE|DELETE|MERGE)$/.test(command)
  return { rows, command, affected: changed ? BigInt(rowCount ?? 0) : undefined }
}
