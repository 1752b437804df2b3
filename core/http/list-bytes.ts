/** A list of the API server, cut open without parsing its items. */
export interface ListBytes {
  /** What stands between the brackets of `items`. */
  readonly items: Buffer
  readonly continue: string | undefined
}

const ITEMS = '"items":['
const CLOSE = 0x5d // ]

/**
 * Finds `items` and `metadata.continue` in a list's bytes. Around the items stand only `apiVersion`, `kind` and ListMeta, which hold no
 * bracket and no unescaped `"items":[`; so the first such text opens them and the last bracket closes them. What is left
 * must parse as a list without items, otherwise (null items, other spacing) the whole is parsed.
 */
export function cutList(bytes: Buffer): ListBytes {
  const start = bytes.indexOf(ITEMS)
  const end = bytes.lastIndexOf(CLOSE)
  const envelope = start < 0 || end < start ? undefined : parseEnvelope(bytes, start + ITEMS.length, end)
  if (envelope === undefined) return parseWhole(bytes)
  return { items: bytes.subarray(start + ITEMS.length, end), continue: continueOf(envelope) }
}

/** The platform's list from pieces of items: `{"items":[...],"nextCursor":...}`. */
export function joinList(items: Buffer, nextCursor: string | null): Buffer {
  return Buffer.concat([Buffer.from('{"items":['), items, Buffer.from(`],"nextCursor":${JSON.stringify(nextCursor)}}`)])
}

function parseEnvelope(bytes: Buffer, from: number, to: number): unknown {
  try {
    const around = bytes.subarray(0, from).toString() + bytes.subarray(to).toString()
    const parsed: unknown = JSON.parse(around)
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

function parseWhole(bytes: Buffer): ListBytes {
  const parsed: unknown = JSON.parse(bytes.toString())
  if (!isList(parsed)) throw new TypeError('the cluster did not answer with a list')
  return { items: Buffer.from(JSON.stringify(parsed.items ?? []).slice(1, -1)), continue: continueOf(parsed) }
}

function continueOf(list: unknown): string | undefined {
  const metadata = typeof list === 'object' && list !== null && 'metadata' in list ? list.metadata : undefined
  const found =
    typeof metadata === 'object' && metadata !== null && 'continue' in metadata ? metadata.continue : undefined
  return typeof found === 'string' && found !== '' ? found : undefined
}
