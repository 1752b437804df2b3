/** Executions by statement text, as `pg_stat_statements` counts them. */
export type StatementCounts = Readonly<Record<string, number>>

/** Counts the statements that a client sends, from the messages of PostgreSQL's frontend protocol. */
export interface StatementCounter {
  /** A buffer with whole messages; without the length-prefixed startup message. */
  add(messages: Uint8Array): void
  counts(): StatementCounts
}

const codes = { query: 0x51, parse: 0x50, bind: 0x42, execute: 0x45 } as const

/** Creates a counter of one connection. */
export function createStatementCounter(): StatementCounter {
  const counts = new Map<string, number>()
  const prepared = new Map<string, string>()
  let bound = ''
  const count = (text: string): void => void counts.set(text, (counts.get(text) ?? 0) + 1)
  const take = (code: number, body: Buffer): void => {
    const [first = '', second = ''] = stringsOf(body)
    if (code === codes.query) for (const text of statementsOf(first)) count(text)
    if (code === codes.parse) prepared.set(first, normalise(second))
    if (code === codes.bind) bound = prepared.get(second) ?? ''
    if (code === codes.execute) count(bound)
  }
  return {
    add: (messages) => {
      const buffer = Buffer.from(messages.buffer, messages.byteOffset, messages.byteLength)
      for (let at = 0; at + 5 <= buffer.length;) {
        const end = at + 1 + buffer.readUInt32BE(at + 1)
        take(buffer[at] ?? 0, buffer.subarray(at + 5, end))
        at = end
      }
    },
    counts: () => Object.fromEntries(counts),
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

/** The number of explicit transactions. */
export function transactionsIn(counts: StatementCounts): number {
  return statementsIn(Object.fromEntries(Object.entries(counts).filter(([text]) => /^begin\b/i.test(text))))
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

// The simple protocol accepts several statements. Texts of the platform contain no semicolon in a literal.
function statementsOf(text: string): readonly string[] {
  return text
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
