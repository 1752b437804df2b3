import type { Mask } from './mask.ts'
import type { BodyString } from './map-strings.ts'

interface Slot {
  readonly index: number
  readonly start: number
  readonly end: number
}

/** Strings of a body as one text, with the offsets of each. */
export class TextView {
  readonly #slots: Slot[] = []
  readonly #parts: string[] = []
  #length = 0
  #hasValue = false

  get text(): string {
    return this.#parts.join('')
  }

  /** Number of strings. */
  get size(): number {
    return this.#slots.length
  }

  /** Adds a string on its own line. */
  line(index: number, text: string): void {
    if (this.#slots.length > 0) this.#add('\n')
    this.#slot(index, text)
  }

  /** Adds a string directly after the previous one. */
  part(index: number, text: string): void {
    this.#slot(index, text)
  }

  /** Adds a string, number or name of a JSON value as JSON without escapes, so that rules on a name and its value hold. */
  json(index: number, { kind, text }: Pick<BodyString, 'kind' | 'text'>): void {
    const quote = kind === 'string' || kind === 'name' ? '"' : ''
    this.#add((this.#hasValue ? ',' : '') + quote)
    this.#slot(index, text)
    this.#add(quote + (kind === 'name' ? ':' : ''))
    this.#hasValue = kind !== 'name'
  }

  /**
   * Adds masks of the text to those of each string, by its index. Text between two strings is not masked. `onlySplit` skips a match that
   * begins within a mask. That mask was found without the following strings, whose beginning belongs to the match only by chance.
   */
  addMasks(masks: readonly Mask[], to: Map<number, Mask[]>, { onlySplit = false } = {}): void {
    let first = 0
    for (const mask of masks) {
      let { text } = mask
      while ((this.#slots[first]?.end ?? Infinity) <= mask.start) first++
      if (onlySplit && isWithin(to, this.#slots[first], mask.start)) continue
      for (let at = first; (this.#slots[at]?.start ?? Infinity) < mask.end; at++) {
        const { index, start, end } = this.#slots[at] ?? { index: 0, start: 0, end: 0 }
        if (start === end) continue
        const own = to.get(index) ?? []
        to.set(index, own)
        own.push({ start: Math.max(0, mask.start - start), end: Math.min(end, mask.end) - start, text })
        // Where a match is split, its mask is written once.
        text = ''
      }
    }
  }

  #slot(index: number, text: string): void {
    this.#slots.push({ index, start: this.#length, end: this.#length + text.length })
    this.#add(text)
  }

  #add(text: string): void {
    this.#parts.push(text)
    this.#length += text.length
  }
}

function isWithin(masks: ReadonlyMap<number, readonly Mask[]>, slot: Slot | undefined, at: number): boolean {
  if (slot === undefined) return false
  return (masks.get(slot.index) ?? []).some(({ start, end }) => start <= at - slot.start && at - slot.start < end)
}
