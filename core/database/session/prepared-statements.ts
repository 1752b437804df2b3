import { createHash } from 'node:crypto'
import type { Column } from './decode-row.ts'

/** Names of frequent statements, shared by the connections of a pool. */
export interface StatementNames {
  of(text: string): string | undefined
  /** Changes with `renew`. */
  readonly generation: number
  /** Every statement gets another name: after a migration, the server refuses plans whose result would have changed. */
  renew(): void
}

// Bounded, so that varying texts (lists of parameters) do not accumulate on the server.
const hot = 5
const most = 300

/** A frequent statement becomes a named prepared one. */
export function createStatementNames(): StatementNames {
  const seen = new Map<string, number | string>()
  let generation = 0
  return {
    get generation() {
      return generation
    },
    renew: () => {
      generation += 1
      seen.clear()
    },
    of: (text) => {
      const known = seen.get(text)
      if (typeof known === 'string') return known
      if (known === undefined && seen.size >= most) return undefined
      const count = (known ?? 0) + 1
      const name = createHash('sha1').update(`${generation} ${text}`).digest('base64url')
      seen.set(text, count < hot ? count : name)
      return undefined
    },
  }
}

/**
 * A named statement of one connection. `columns` is undefined for a statement without rows. After a failure in the exchange that prepared
 * it, the server may or may not have it (`unknown`).
 */
export interface Prepared {
  readonly name: string
  state: 'new' | 'ready' | 'unknown'
  columns: readonly Column[] | undefined
}

/** Prepared statements of one connection. */
export class PreparedStatements {
  readonly #names: StatementNames
  readonly #byText = new Map<string, Prepared>()
  #generation: number
  constructor(names: StatementNames) {
    this.#names = names
    this.#generation = names.generation
  }

  /** After a refused plan: the other connections of the pool have it, too. */
  renew(): void {
    this.#names.renew()
  }

  /** Returns the named statement of a frequent text; undefined for others, which are sent without a name. */
  of(text: string): Prepared | undefined {
    if (this.#generation !== this.#names.generation) {
      this.#byText.clear()
      this.#generation = this.#names.generation
    }
    const known = this.#byText.get(text)
    if (known !== undefined) return known
    const name = this.#names.of(text)
    if (name === undefined) return undefined
    const prepared: Prepared = { name, state: 'new', columns: undefined }
    this.#byText.set(text, prepared)
    return prepared
  }
}
