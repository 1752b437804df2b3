/** A line of a JSON value as it is shown. */
export interface JsonLine {
  /** JSON Pointer of the value, also that of the line that closes it. */
  readonly pointer: string
  readonly depth: number
  /** Name in the object around it. */
  readonly name: string | undefined
  readonly kind: 'string' | 'number' | 'boolean' | 'null' | 'open' | 'folded' | 'close' | 'cut'
  /** The value, or the brackets. */
  readonly shown: string
  /** Number of entries of an object or a list. */
  readonly count: number
  readonly isLast: boolean
}

/** Levels that are open at first. */
const OPEN_LEVELS = 3
const MAX_LINES = 20_000
const MAX_STRING = 10_000

/** Whether a value is open at first. */
export function isOpenAtFirst(pointer: string): boolean {
  return pointer.split('/').length <= OPEN_LEVELS
}

/** The lines of a value. `toggledPointers` are open where they would be folded, and the reverse. */
export function toJsonLines(value: unknown, toggledPointers: ReadonlySet<string>): readonly JsonLine[] {
  const lines: JsonLine[] = []
  add(value, { pointer: '', depth: 0, name: undefined, isLast: true })
  return lines

  function add(one: unknown, place: Pick<JsonLine, 'pointer' | 'depth' | 'name' | 'isLast'>): void {
    if (lines.length > MAX_LINES) return
    if (lines.length === MAX_LINES) {
      lines.push({ ...place, kind: 'cut', shown: '…', count: 0, name: undefined })
      return
    }
    if (typeof one !== 'object' || one === null) {
      lines.push({ ...place, ...scalar(one), count: 0 })
      return
    }
    const entries = Object.entries(one).filter(([, inner]) => inner !== undefined)
    const [begin, end] = Array.isArray(one) ? ['[', ']'] : ['{', '}']
    const isOpen = entries.length > 0 && isOpenAtFirst(place.pointer) !== toggledPointers.has(place.pointer)
    const count = entries.length
    lines.push({ ...place, kind: isOpen ? 'open' : 'folded', shown: isOpen ? begin : begin + end, count })
    if (!isOpen) return
    for (const [index, [name, inner]] of entries.entries()) {
      const isLast = index === count - 1
      const pointer = `${place.pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
      add(inner, { pointer, depth: place.depth + 1, name: Array.isArray(one) ? undefined : name, isLast })
    }
    lines.push({ ...place, kind: 'close', shown: end, count, name: undefined })
  }
}

// They would turn the rest of the line around.
const directions = /[\u202a-\u202e\u2066-\u2069]/g

function toEscape(sign: string): string {
  return `\\u${sign.charCodeAt(0).toString(16)}`
}

function scalar(value: unknown): Pick<JsonLine, 'kind' | 'shown'> {
  if (typeof value === 'string') {
    const cut = value.length > MAX_STRING ? `${value.slice(0, MAX_STRING)}…` : value
    return { kind: 'string', shown: JSON.stringify(cut).replace(directions, toEscape) }
  }
  if (typeof value === 'number' || typeof value === 'boolean')
    return { kind: typeof value as 'number' | 'boolean', shown: String(value) }
  return { kind: 'null', shown: 'null' }
}
