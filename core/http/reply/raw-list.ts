/** A list of the API server, split without parsing its items. */
export interface ListBytes {
  /** Content between the brackets of `items`, in one or more chunks. */
  readonly items: readonly Buffer[]
  readonly continue: string | undefined
}

const ITEMS = '"items":['
const CLOSE = 0x5d // ]

/**
 * Finds `items` and `metadata.continue` in the bytes of a list. The items are surrounded only by `apiVersion`, `kind` and ListMeta, which
 * contain no bracket and no unescaped `"items":[`. So the first such text opens them and the last bracket closes them. The rest must parse
 * as a list without items; otherwise (null items, other spacing, a wrong split) the whole is parsed.
 */
export function cutList(pieces: readonly Buffer[]): ListBytes {
  const [first = Buffer.alloc(0), ...more] = pieces
  const last = more.pop() ?? first
  const start = first.indexOf(ITEMS) + ITEMS.length
  const end = last.lastIndexOf(CLOSE)
  if (start < ITEMS.length || end < 0 || (last === first && end < start)) return parseWhole(pieces)
  const envelope = parseEnvelope(first.subarray(0, start), last.subarray(end))
  if (envelope === undefined) return parseWhole(pieces)
  const items = last === first ? [first.subarray(start, end)] : [first.subarray(start), ...more, last.subarray(0, end)]
  return { items, continue: continueOf(envelope) }
}

/** JSON in chunks, so that a page that is passed through is not copied. */
export class JsonPieces {
  readonly pieces: readonly Buffer[]

  constructor(pieces: readonly Buffer[]) {
    this.pieces = pieces
  }

  get byteLength(): number {
    return this.pieces.reduce((sum, piece) => sum + piece.length, 0)
  }

  toString(): string {
    return Buffer.concat(this.pieces).toString()
  }
}

/** Renders the platform's list from chunks of items: `{"items":[...],"nextCursor":...}`. */
export function joinList(items: readonly Buffer[], nextCursor: string | null): JsonPieces {
  const end = Buffer.from(`],"nextCursor":${JSON.stringify(nextCursor)}}\n`)
  return new JsonPieces([Buffer.from('{"items":['), ...items, end])
}

function parseEnvelope(before: Buffer, after: Buffer): unknown {
  try {
    const parsed: unknown = JSON.parse(before.toString() + after.toString())
    return isList(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

function isList(value: unknown): value is { kind: string; items: unknown[] | null } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'kind' in value &&
    String(value.kind).endsWith('List') &&
    'items' in value
  )
}

function parseWhole(pieces: readonly Buffer[]): ListBytes {
  const parsed: unknown = JSON.parse(Buffer.concat(pieces).toString())
  if (!isList(parsed)) throw new TypeError('the cluster did not respond with a list')
  return { items: [Buffer.from(JSON.stringify(parsed.items ?? []).slice(1, -1))], continue: continueOf(parsed) }
}

function continueOf(list: unknown): string | undefined {
  const metadata = typeof list === 'object' && list !== null && 'metadata' in list ? list.metadata : undefined
  const found =
    typeof metadata === 'object' && metadata !== null && 'continue' in metadata ? metadata.continue : undefined
  return typeof found === 'string' && found !== '' ? found : undefined
}
