import type { FilterSession } from './filter-session.ts'
import type { Replacement, TextFilter } from '../../contract/model-filter.ts'

/** Place of a text in the frames of a response. */
export interface TextSlot {
  /** Text that passed every filter and is not written yet. */
  ready: string
  /** Whether the whole text has passed. */
  done: boolean
}

/** A part of a text on its way through the filters. `end` marks the last part of its slot. */
export interface Piece {
  readonly slot: TextSlot
  readonly text: string
  readonly end: boolean
}

/** Where a text is in the response. */
export interface TextPlace {
  readonly choice: number
  readonly field: string
}

/**
 * One filter on one text of a response. The last `lookBack` characters are held until more text arrives. The filter thus sees every match of up to
 * this length as a whole before its first character is released.
 */
export class TextStage {
  readonly #session: FilterSession
  readonly #filter: TextFilter
  readonly #place: TextPlace
  #pieces: Piece[] = []
  #text = ''
  #before = ''
  #offset = 0
  #unseen = 0

  constructor(session: FilterSession, filter: TextFilter, place: TextPlace) {
    this.#session = session
    this.#filter = filter
    this.#place = place
  }

  /** Returns the released text: with `last`, all of it. Throws `FilterStop`. */
  async push(pieces: readonly Piece[], last: boolean): Promise<readonly Piece[]> {
    for (const piece of pieces) {
      this.#pieces.push(piece)
      this.#text += piece.text
      this.#unseen += piece.text.length
    }
    if (this.#text === '') return this.#pieces.splice(0)
    if (!last && this.#unseen < (this.#filter.step ?? 1)) return []
    this.#unseen = 0
    const window = { ...this.#place, offset: this.#offset, before: this.#before, text: this.#text, last }
    const changes = await this.#session.decide(
      'text',
      () => this.#filter.check(window),
      (change) => checkReplacements(change, window.text.length),
    )
    // An open filter that failed holds nothing back.
    return this.#release(changes ?? [], last || this.#session.skipped ? this.#text.length : this.#boundary())
  }

  #boundary(): number {
    const held = this.#filter.held?.(this.#place) ?? 0
    const at = this.#text.length - Math.max(this.#filter.lookBack, held)
    return at > 0 ? outsidePair(this.#text, at) : 0
  }

  // A replacement that begins before the boundary has been seen with its look-back, so it is released as a whole.
  #release(changes: readonly Replacement[], boundary: number): readonly Piece[] {
    const isAll = boundary === this.#text.length
    const due = changes.filter(({ start }) => start < boundary || isAll)
    const end = Math.max(boundary, due.at(-1)?.end ?? 0)
    const released = cut(this.#pieces, end)
    const { lookBack } = this.#filter
    this.#before = lookBack === 0 ? '' : (this.#before + this.#text.slice(0, end)).slice(-lookBack)
    this.#text = this.#text.slice(end)
    this.#offset += end
    return due.length === 0 ? released : replaceIn(released, due)
  }
}

// Characters outside the basic plane are two units, which must not be released separately.
function outsidePair(text: string, at: number): number {
  return /[\uD800-\uDBFF]/.test(text[at - 1] ?? '') && /[\uDC00-\uDFFF]/.test(text[at] ?? '') ? at - 1 : at
}

/** Takes the pieces before an offset, and splits the piece around it. */
function cut(pieces: Piece[], offset: number): Piece[] {
  let left = offset
  let whole = 0
  for (const { text } of pieces) {
    if (text.length > left) break
    left -= text.length
    whole++
  }
  const taken = pieces.splice(0, whole)
  const [split] = pieces
  if (left === 0 || split === undefined) return taken
  pieces[0] = { ...split, text: split.text.slice(left) }
  return [...taken, { ...split, text: split.text.slice(0, left), end: false }]
}

// The text of a replacement is written where it begins. Pieces that it covers stay, without their text.
function replaceIn(pieces: readonly Piece[], changes: readonly Replacement[]): readonly Piece[] {
  let next = 0
  let to = 0
  return pieces.map((piece, index) => {
    const from = to
    to += piece.text.length
    let text = ''
    let position = from
    for (let change = changes[next]; change !== undefined; change = changes[++next]) {
      if (change.start >= to && index < pieces.length - 1) break
      if (change.start >= from) text += piece.text.slice(position - from, change.start - from) + change.text
      position = Math.max(position, Math.min(change.end, to))
      if (change.end > to) break
    }
    return { ...piece, text: text + piece.text.slice(position - from) }
  })
}

// Untyped plugins may return anything, and an overlap would corrupt the text.
function checkReplacements(change: unknown, length: number): readonly Replacement[] {
  if (!Array.isArray(change)) throw new TypeError('the change of a text must be a list of replacements')
  let position = 0
  for (const one of change as readonly (Partial<Replacement> | undefined)[]) {
    const { start, end, text } = one ?? {}
    const isRange = Number.isInteger(start) && Number.isInteger(end) && start !== undefined && end !== undefined
    if (!isRange || start < position || end < start || end > length || typeof text !== 'string')
      throw new TypeError('a replacement must have start, end and text; ranges are in order and within the text')
    position = end
  }
  return change as readonly Replacement[]
}
