import type { Connection, Submittable } from 'pg'
import { decodeRow, toColumns } from './decode-row.ts'
import type { Column } from './decode-row.ts'
import type { NamedStatement, PreparedStatements } from './prepared-statements.ts'
import type { ExchangeOutcome, Statement, StatementResult } from './session.ts'
import { toWireValue } from './type-parsers.ts'

interface Step {
  readonly text: string
  readonly values: (string | Buffer | null)[]
  readonly prepared: NamedStatement | undefined
  columns: readonly Column[] | undefined
  readonly rows: unknown[]
}

/**
 * Statements sent in one message, with one Sync at the end: the server runs them in order and skips those after a failure. A named statement
 * is parsed and described once per connection. `resolve` is called once.
 */
export class Exchange implements Submittable {
  readonly #steps: readonly Step[]
  readonly #lost: readonly string[]
  readonly #results: StatementResult[] = []
  #unreadable: { readonly error: unknown } | undefined
  /** Called by `pg` with an error at its deadline. */
  callback: (error: unknown) => void

  constructor(
    statements: readonly Statement[],
    prepared: PreparedStatements,
    resolve: (outcome: ExchangeOutcome) => void,
  ) {
    // Values that cannot be sent must fail before the first byte is written.
    const values = statements.map(({ parameters }) => parameters.map(toWireValue))
    // Taken before the statements get names: a statement that loses its name to another one of this message is closed in the next.
    this.#lost = prepared.takeLost()
    this.#steps = statements.map(({ sql }, index) => {
      return { text: sql, values: values[index] ?? [], prepared: prepared.of(sql), columns: undefined, rows: [] }
    })
    this.callback = (error) => {
      resolve(error === undefined ? { results: this.#results } : { results: this.#results, failure: { error } })
    }
  }

  submit(connection: Connection): void {
    const parsed = new Set<NamedStatement>()
    connection.stream.cork()
    for (const name of this.#lost) connection.close({ type: 'S', name }, true)
    for (const [index, step] of this.#steps.entries()) {
      const next = this.#steps[index + 1]
      bind(connection, parsed, step, '')
      if (index === this.#steps.length - 2 && next?.text === 'commit') {
        // Locks taken by this statement are held until COMMIT: the server must have all of it before it executes the first.
        bind(connection, parsed, next, 'commit')
        connection.execute({ portal: '' }, true)
        connection.execute({ portal: 'commit' }, true)
        break
      }
      connection.execute({ portal: '' }, true)
    }
    connection.sync()
    connection.stream.uncork()
  }

  handleRowDescription({ fields }: { readonly fields: Parameters<typeof toColumns>[0] }): void {
    const step = this.#current()
    if (step !== undefined) step.columns = toColumns(fields)
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const step = this.#current()
    if (step === undefined) return
    try {
      step.rows.push(decodeRow(step.columns ?? step.prepared?.columns ?? [], fields))
    } catch (error) {
      // Thrown here, it would end the process. Results are read up to this statement.
      this.#unreadable = { error }
    }
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    const step = this.#current()
    if (step === undefined) return
    if (step.prepared !== undefined && step.prepared.state !== 'ready') {
      step.prepared.state = 'ready'
      step.prepared.columns = step.columns
    }
    const [command = ''] = text.split(' ', 1)
    const affected = writes.has(command) ? BigInt(text.slice(text.lastIndexOf(' ') + 1)) : undefined
    this.#results.push({ rows: step.rows, command, affected })
  }

  handleEmptyQuery(): void {
    this.#results.push({ rows: [], command: '', affected: undefined })
  }

  handlePortalSuspended(): void {}

  handleError(error: unknown): void {
    for (const { prepared } of this.#steps) if (prepared?.state === 'new') prepared.state = 'unknown'
    this.callback(error)
  }

  handleReadyForQuery(): void {
    this.callback(this.#unreadable?.error)
  }

  #current(): Step | undefined {
    return this.#unreadable !== undefined ? undefined : this.#steps[this.#results.length]
  }
}

const writes = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])

// The types of `pg` are of an older version: the second argument is no longer used.
function bind(
  connection: Connection,
  parsed: Set<NamedStatement>,
  { text, values, prepared }: Step,
  portal: string,
): void {
  const name = prepared?.name ?? ''
  if (prepared === undefined) connection.parse({ name, text, types: [] }, true)
  else if (prepared.state !== 'ready' && !parsed.has(prepared)) {
    parsed.add(prepared)
    if (prepared.state === 'unknown') connection.close({ type: 'S', name }, true)
    connection.parse({ name, text, types: [] }, true)
    connection.describe({ type: 'S', name }, true)
  }
  connection.bind({ statement: name, portal, values }, true)
  if (prepared === undefined) connection.describe({ type: 'P', name: portal }, true)
}
