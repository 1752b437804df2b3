/** Executions by statement text, as `pg_stat_statements` counts them. */
export type StatementCounts = Readonly<Record<string, number>>

/** Counts the statements that clients send, from the messages of PostgreSQL's frontend protocol. */
export interface StatementCounter {
  /** Takes the bytes of a further connection in any pieces. */
  connection(): (bytes: Uint8Array) => void
  counts(): StatementCounts
  /** Executions by transaction: the texts from `begin` to `commit` or `rollback`, one a line. A statement outside is one of its own. */
  transactions(): StatementCounts
  /** Executions of statements that were parsed without a name. */
  unnamed(): StatementCounts
}

const codes = { query: 0x51, parse: 0x50, bind: 0x42, execute: 0x45 } as const

/** Creates a counter without connections. */
export function createStatementCounter(): StatementCounter {
  const counts = new Map<string, number>()
  const transactions = new Map<string, number>()
  const unnamed = new Map<string, number>()
  return {
    connection: () => {
      const group = groupTransactions((text) => increment(transactions, text))
      return splitMessages(
        createMessageReader((text, name) => {
          increment(counts, text)
          if (name === '') increment(unnamed, text)
          group(text)
        }),
      )
    },
    counts: () => Object.fromEntries(counts),
    transactions: () => Object.fromEntries(transactions),
    unnamed: () => Object.fromEntries(unnamed),
  }
}

function increment(counts: Map<string, number>, text: string): void {
  counts.set(text, (counts.get(text) ?? 0) + 1)
}

/** Collects the statements of one connection until its transaction ends. */
function groupTransactions(ended: (texts: string) => void): (text: string) => void {
  let open: string[] | undefined
  return (text) => {
    if (/^begin\b/i.test(text)) open = []
    const group = open ?? []
    group.push(text)
    if (open !== undefined && !/^(?:commit|rollback)\b/i.test(text)) return
    open = undefined
    ended(group.join('\n'))
  }
}

type TakeMessage = (code: number, body: Buffer) => void

// A statement of the simple protocol has no name that is empty: it is never prepared.
function createMessageReader(executed: (text: string, name?: string) => void): TakeMessage {
  const prepared = new Map<string, string>()
  const portals = new Map<string, { readonly text: string; readonly name: string }>()
  return (code, body) => {
    const [first = '', second = ''] = stringsOf(body)
    if (code === codes.query) for (const text of statementsOf(first)) executed(text)
    if (code === codes.parse) prepared.set(first, normalise(second))
    if (code === codes.bind) portals.set(first, { text: prepared.get(second) ?? '', name: second })
    if (code === codes.execute) {
      const { text, name } = portals.get(first) ?? { text: '', name: '' }
      executed(text, name)
    }
  }
}

// A message is a code, the length of what follows and the body. A startup message has no code; its length begins with a zero byte.
function splitMessages(take: TakeMessage): (bytes: Uint8Array) => void {
  let rest: Buffer = Buffer.alloc(0)
  return (bytes) => {
    rest = Buffer.concat([rest, bytes])
    for (;;) {
      const codeBytes = rest[0] === 0 ? 0 : 1
      if (rest.length < codeBytes + 4) return
      const end = codeBytes + rest.readUInt32BE(codeBytes)
      if (rest.length < end) return
      if (codeBytes === 1) take(rest[0] ?? 0, rest.subarray(5, end))
      rest = rest.subarray(end)
    }
  }
}

/** The difference of two readings, without statements that were not executed in between. */
export function countsSince(before: StatementCounts, after: StatementCounts): StatementCounts {
  const entries = Object.entries(after).map(([text, count]) => [text, count - (before[text] ?? 0)] as const)
  return Object.fromEntries(entries.filter(([, count]) => count > 0))
}

/** The number of executed statements, `begin` and `commit` included. */
export function statementsIn(counts: StatementCounts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}

/** The number of committed explicit transactions. */
export function transactionsIn(counts: StatementCounts): number {
  return statementsIn(Object.fromEntries(Object.entries(counts).filter(([text]) => /^commit\b/i.test(text))))
}

/** The most frequent statements, one per line with executions per operation. */
export function describeCounts(counts: StatementCounts, operations: number, most = 60): string {
  const sorted = Object.entries(counts).toSorted(([, a], [, b]) => b - a)
  const lines = sorted
    .slice(0, most)
    .map(([text, count]) => `${(count / operations).toFixed(2)}  ${text.slice(0, 200)}`)
  return lines.join('\n')
}

function normalise(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

// The simple protocol accepts several statements, and its texts contain values.
function statementsOf(text: string): readonly string[] {
  return text
    .replaceAll(/'(?:[^']|'')*'/g, '?')
    .split(';')
    .map(normalise)
    .filter((one) => one !== '')
}

// The first two strings, each ended by a zero byte.
function stringsOf(body: Buffer): readonly string[] {
  const end = body.indexOf(0)
  const next = body.indexOf(0, end + 1)
  return [body.toString('utf8', 0, Math.max(end, 0)), body.toString('utf8', end + 1, Math.max(next, 0))]
}
