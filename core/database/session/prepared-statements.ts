import { createHash } from 'node:crypto'
import type { Column } from './decode-row.ts'

/** Names of frequent statements, shared by the connections of a pool. */
export interface StatementNames {
  /** Counts an execution; returns the name of a frequent statement. */
  of(text: string): string | undefined
  /** The name that a statement has now, without counting. */
  current(text: string): string | undefined
  /** Changes whenever a statement loses its name. */
  readonly losses: number
  /** Every statement gets another name: after a migration, the server refuses plans whose result would have changed. */
  renew(): void
}

/** Bounds of the names of a pool. */
export interface NameBounds {
  /** Statements with a name: each is a plan in the memory of the server, for each connection. */
  readonly named: number
  /** Statements that are counted and have no name yet. */
  readonly counted: number
}

const hot = 5
const defaults: NameBounds = { named: 300, counted: 1_000 }

/**
 * A frequent statement becomes a named prepared one. Beyond the bounds, the least recently used one makes room. Otherwise, statements that are
 * executed a few times, such as those of migrations or with lists of parameters, would take all names at startup.
 */
export function createStatementNames({ named, counted }: NameBounds = defaults): StatementNames {
  const names = new Map<string, string>()
  const counts = new Map<string, number>()
  let generation = 0
  let losses = 0
  const toName = (text: string): void => {
    counts.delete(text)
    names.set(text, createHash('sha1').update(`${generation} ${text}`).digest('base64url'))
    if (dropOldest(names, named)) losses += 1
  }
  return {
    get losses() {
      return losses
    },
    current: (text) => names.get(text),
    renew: () => {
      generation += 1
      losses += 1
      names.clear()
      counts.clear()
    },
    of: (text) => {
      const name = names.get(text)
      if (name !== undefined) {
        toEnd(names, text, name)
        return name
      }
      const count = (counts.get(text) ?? 0) + 1
      if (count >= hot) toName(text)
      else {
        toEnd(counts, text, count)
        dropOldest(counts, counted)
      }
      return undefined
    },
  }
}

/** Names of a pool whose server connection may be another for each transaction: there are none. */
export const noNames: StatementNames = {
  of: () => undefined,
  current: () => undefined,
  losses: 0,
  renew: () => undefined,
}

// The order of a Map is that of insertion: the first entry is the least recently used.
function toEnd<Value>(map: Map<string, Value>, text: string, value: Value): void {
  map.delete(text)
  map.set(text, value)
}

function dropOldest(map: Map<string, unknown>, most: number): boolean {
  if (map.size <= most) return false
  const [oldest] = map.keys()
  return oldest !== undefined && map.delete(oldest)
}

/**
 * A named statement of one connection. `columns` is undefined for a statement without rows. After a failure in the exchange that prepared
 * it, the server may or may not have it (`unknown`).
 */
export interface NamedStatement {
  readonly name: string
  state: 'new' | 'ready' | 'unknown'
  columns: readonly Column[] | undefined
}

/** Prepared statements of one connection. */
export class PreparedStatements {
  readonly #names: StatementNames
  readonly #byText = new Map<string, NamedStatement>()
  #losses: number
  constructor(names: StatementNames) {
    this.#names = names
    this.#losses = names.losses
  }

  /** Called after a refused plan, which the other connections of the pool have, too. */
  renew(): void {
    this.#names.renew()
  }

  /** Names that statements have lost since the last call, and that the server still has: they are closed before the next exchange. */
  takeLost(): readonly string[] {
    if (this.#losses === this.#names.losses) return []
    this.#losses = this.#names.losses
    const lost = [...this.#byText].filter(([text, { name }]) => this.#names.current(text) !== name)
    for (const [text] of lost) this.#byText.delete(text)
    return lost.map(([, { name }]) => name)
  }

  /** Returns the named statement of a frequent text; undefined for others, which are sent without a name. */
  of(text: string): NamedStatement | undefined {
    const name = this.#names.of(text)
    if (name === undefined) return undefined
    const known = this.#byText.get(text)
    if (known?.name === name) return known
    const prepared: NamedStatement = { name, state: 'new', columns: undefined }
    this.#byText.set(text, prepared)
    return prepared
  }
}
