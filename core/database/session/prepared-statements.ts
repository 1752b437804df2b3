import { createHash } from 'node:crypto'
import type { Column } from './decode-row.ts'

/** Names of frequent statements, shared by the connections of a pool. */
export interface StatementNames {
  of(text: string): string | undefined
}

// Bounded, so that varying texts (lists of parameters) do not accumulate on the server.
const hot = 5
const most = 300

/** A frequent statement becomes a named prepared one. */
export function createStatementNames(): StatementNames {
  const seen = new Map<string, number | string>()
  return {
    of: (text) => {
      const known = seen.get(text)
      if (typeof known === 'string') return known
      if (known === undefined && seen.size >= most) return undefined
      const count = (known ?? 0) + 1
      const name = createHash('sha1').update(text).digest('base64url')
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
  constructor(names: StatementNames) {
    this.#names = names
  }

  /** Returns the named statement of a frequent text; undefined for others, which are sent without a name. */
  of(text: string): Prepared | undefined {
    const known = this.#byText.get(text)
    if (known !== undefined) return known
    const name = this.#names.of(text)
    if (name === undefined) return undefined
    const prepared: Prepared = { name, state: 'new', columns: undefined }
    this.#byText.set(text, prepared)
    return prepared
  }
}
