import type { Detector, Match, Tail } from './detectors/detector.ts'
import { Reading } from './readings/reading.ts'
import type { ReadingKind } from './readings/reading-writer.ts'

/** A match of one rule, with offsets in the whole text. */
export interface TextSpan {
  readonly rule: number
  readonly start: number
  readonly end: number
  /** Whether it continues a match of the same rule. */
  readonly continued: boolean
}

/** A rule that searches a reading. */
export interface SearchingRule {
  readonly rule: number
  readonly detector: Detector
  /** Whether it searches only where the reading differs from the text, since the rule also searches the text itself. */
  readonly onlyOther: boolean
}

/** Text before a block that detectors may read, for boundaries of words and markers. */
const contextLength = 64
/** Characters of the shortest block: a text up to this length is one block, whatever the rules. */
export const LEAST_BLOCK = 64
const mostBlock = 512

interface Open {
  readonly tail: Tail
  readonly at: number
  readonly left: number
}

/**
 * Scans one reading of a text that arrives in parts. It is divided into blocks at fixed offsets. A block is scanned once, when the longest
 * match that can begin in it has arrived. Its surrounding text is the same however the text was divided. So results depend on the text only,
 * the time is linear, and the memory is bounded by block and match.
 */
export class ReadingScan {
  readonly block: number
  readonly longest: number
  readonly #searching: readonly SearchingRule[]
  readonly #reading: Reading
  /** Offset in the text: every match that begins before it is known. */
  decided = 0
  /** The same as an offset in the reading. */
  #decided = 0
  /** Per rule: end of its last match, and a match that may continue. */
  readonly #covered: number[]
  readonly #open: (Open | undefined)[]
  /** The first block that was scanned as the last one, without the text that may follow. */
  #settled: number | undefined

  constructor(kind: ReadingKind, searching: readonly SearchingRule[]) {
    this.#searching = searching
    this.longest = Math.max(1, ...searching.map(({ detector }) => detector.longest))
    this.block = Math.min(mostBlock, Math.max(LEAST_BLOCK, this.longest >> 1))
    this.#reading = new Reading(kind, this.longest + this.block)
    this.#covered = searching.map(() => 0)
    this.#open = searching.map(() => undefined)
  }

  /** Offset of the first text that may be scanned again. */
  get kept(): number {
    return this.#settled === undefined ? this.decided : this.#reading.startOf(this.#settled)
  }

  /** Adds text, also after the last block was scanned: matches that continue are found then, and none twice. */
  push(text: string): void {
    this.#reading.push(text)
    this.#decided = this.#settled ?? this.#decided
    this.#settled = undefined
    this.decided = this.#reading.startOf(this.#decided)
  }

  /** No more text is expected. */
  end(): void {
    this.#reading.end()
    this.decided = this.#reading.startOf(this.#decided)
  }

  /** Scans the next block; undefined if its text has not arrived. */
  next(last: boolean): readonly TextSpan[] | undefined {
    const { length, certain } = this.#reading
    const start = this.#decided
    const end = start + this.block + this.longest
    if (last ? start >= length : end > length) return undefined
    const from = Math.max(0, start - contextLength)
    const window = this.#reading.slice(from, Math.min(end, length))
    const to = Math.min(start + this.block, length)
    if (end > certain) this.#settled ??= start
    const spans = this.#searching.flatMap((one, index) => this.#scan(one, index, { window, offset: from, start, to }))
    this.#decided = to
    this.decided = this.#reading.startOf(to)
    this.#reading.drop(Math.max(0, (this.#settled ?? to) - contextLength))
    return spans
  }

  #scan(one: SearchingRule, index: number, block: Block): TextSpan[] {
    const spans = this.#open[index] === undefined ? [] : this.#continue(one.rule, index, block)
    if (one.onlyOther && !this.#reading.isOther(block.offset, block.offset + block.window.length)) return spans
    return [...spans, ...this.#find(one, index, block)]
  }

  #continue(rule: number, index: number, { offset, window }: Block): TextSpan[] {
    const open = this.#open[index]
    const limit = offset + window.length
    if (open === undefined || open.at > limit) return []
    const from = open.at - offset
    const extended = Math.min(open.tail.extend(window, from), from + open.left)
    const left = open.left - (extended - from)
    const end = offset + extended
    this.#open[index] = end >= limit && left > 0 ? { tail: open.tail, at: end, left } : undefined
    if (end <= open.at) return []
    this.#covered[index] = end
    return [this.#span(rule, open.at, end, true)]
  }

  #find({ rule, detector }: SearchingRule, index: number, { offset, window, start, to }: Block): TextSpan[] {
    const from = Math.max(start, this.#covered[index] ?? 0)
    if (from >= to) return []
    return detector.find(window, from - offset, to - offset).map((match) => {
      const end = offset + match.end
      this.#covered[index] = end
      if (match.end >= window.length) this.#keepOpen(index, match, end)
      return this.#span(rule, offset + match.start, end, false)
    })
  }

  #span(rule: number, start: number, end: number, continued: boolean): TextSpan {
    return { rule, start: this.#reading.startOf(start), end: this.#reading.endOf(end), continued }
  }

  #keepOpen(index: number, { tail }: Match, at: number): void {
    if (tail !== undefined) this.#open[index] = { tail, at, left: tail.limit }
  }
}

interface Block {
  readonly window: string
  /** Offset of the window in the reading. */
  readonly offset: number
  /** The block: matches that begin here are reported. */
  readonly start: number
  readonly to: number
}
