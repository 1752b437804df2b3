/** The first difference in the rows of a day. */
export interface RowFault {
  readonly row: string
  readonly fault: 'changed' | 'missing' | 'inserted'
}

const idBytes = 16

const entryBytes = 48

/** Compares the sealed entries (id and digest of a row each) of a block with the current ones. */
export function firstFault(sealed: Buffer, actual: Buffer): RowFault | undefined {
  const known = new Set(entriesOf(actual).map(idOf))
  const now = entriesOf(actual)
  for (const [index, entry] of entriesOf(sealed).entries()) {
    const found = now[index]
    if (found?.equals(entry) === true) continue
    if (!known.has(idOf(entry))) return { row: idOf(entry), fault: 'missing' }
    if (found === undefined || idOf(found) === idOf(entry)) return { row: idOf(entry), fault: 'changed' }
    return { row: idOf(found), fault: 'inserted' }
  }
  const more = now[sealed.length / entryBytes]
  return more === undefined ? undefined : { row: idOf(more), fault: 'inserted' }
}

function entriesOf(block: Buffer): readonly Buffer[] {
  return Array.from({ length: block.length / entryBytes }, (_, n) =>
    block.subarray(n * entryBytes, (n + 1) * entryBytes),
  )
}

function idOf(entry: Buffer): string {
  const hex = entry.toString('hex', 0, idBytes)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
