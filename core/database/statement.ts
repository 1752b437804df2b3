import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, sql } from 'kysely'
import type { Compilable, CompiledQuery, RawBuilder, Transaction } from 'kysely'
import { withNext } from './session/store-connection.ts'

/** Placeholders of the parameters of a statement, by name. */
export type Placeholders<Parameters> = { readonly [Name in keyof Parameters]: RawBuilder<Parameters[Name]> }

/** A handle that executes: of a transaction, or of a reader. */
type Handle = Pick<Kysely<unknown>, 'getExecutor'>

/** A transaction, whatever its tables. */
type Within = Pick<Transaction<unknown>, 'getExecutor' | 'isTransaction'>

/** A statement that is built and compiled once, and executed with parameters. */
export interface CompiledStatement<Parameters, Row> {
  /** The statement with its parameters, without compiling it again. */
  compile(parameters: Parameters): CompiledQuery<Row>
  all(db: Handle, parameters: Parameters): Promise<readonly Row[]>
  first(db: Handle, parameters: Parameters): Promise<Row | undefined>
  /** Returns the number of rows that were inserted, updated or deleted. */
  run(db: Handle, parameters: Parameters): Promise<number>
  /** Sends it with the next statement of the transaction, at the latest with COMMIT; if it fails, that one rejects with its error. */
  defer(db: Within, parameters: Parameters): Promise<void>
}

/**
 * Defines a statement that is executed often: building and compiling it with kysely costs more than executing it. `build` is called once, at
 * the first execution, with placeholders in the places of values.
 */
export function defineStatement<Tables, Parameters extends object, Row>(
  build: (db: Kysely<Tables>, parameters: Placeholders<Parameters>) => Compilable<Row>,
): CompiledStatement<Parameters, Row> {
  let compiled: CompiledQuery | undefined
  const toQuery = (given: Parameters): CompiledQuery<Row> => {
    compiled ??= build(compiler as Kysely<Tables>, placeholders<Parameters>()).compile()
    const parameters = compiled.parameters.map((value) => (value instanceof Placeholder ? value.of(given) : value))
    return { ...compiled, parameters } as CompiledQuery<Row>
  }
  const execute = (db: Handle, given: Parameters) => db.getExecutor().executeQuery<Row>(toQuery(given))
  return {
    compile: toQuery,
    all: async (db, given) => (await execute(db, given)).rows,
    first: async (db, given) => (await execute(db, given)).rows[0],
    run: async (db, given) => Number((await execute(db, given)).numAffectedRows ?? 0n),
    defer: async (db, given) => {
      await db.getExecutor().executeQuery(withNext(toQuery(given)))
    },
  }
}

/** Sends a statement of a transaction with the next one, at the latest with COMMIT; if it fails, that one rejects with its error. */
export async function defer(db: Within, query: Compilable): Promise<void> {
  await db.getExecutor().executeQuery(withNext(query.compile()))
}

class Placeholder {
  readonly #name: string
  constructor(name: string) {
    this.#name = name
  }

  of(parameters: object): unknown {
    return (parameters as Record<string, unknown>)[this.#name]
  }
}

function placeholders<Parameters>(): Placeholders<Parameters> {
  return new Proxy({} as Placeholders<Parameters>, {
    get: (_target, name) => (typeof name === 'string' ? sql`${new Placeholder(name)}` : undefined),
  })
}

// Compiles without a connection.
const compiler = new Kysely<unknown>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
})
