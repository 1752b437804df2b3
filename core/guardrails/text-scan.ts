import type { Detector, Match, Tail } from './detectors/detector.ts'
import { foldText } from './detectors/fold-text.ts'
import type { FoldedText } from './detectors/fold-text.ts'

/** A match of one rule, with offsets in the whole text. */
export interface TextSpan {
  readonly rule: number
  readonly start: number
  readonly end: number
  /** Whether it continues a match of the same rule. */
  readonly continued: boolean
}

/** A block, and the matches that begin in it or continue in its window. */
export interface ScannedBlock {
  readonly start: number
  readonly text: string
  readonly spans: readonly TextSpan[]
}

/** Text before a block that detectors may read, for boundaries of words and markers. */
const contextLength = 64
/** Characters of the shortest block: a text up to this length is one block, whatever is looked for. */
export const LEAST_BLOCK = 64
const mostBlock = 512

interface Open {
  readonly tail: Tail
  readonly at: number
  readonly left: number
}

/**
 * Scans a text that arrives in parts. It is divided into blocks at fixed offsets. A block is scanned once, when the longest match that can
 * begin in it has arrived, with the same surrounding text however the text was divided. So results depend on the text only, the time is
 * linear, and the memory is bounded by block and match.
 */
export class TextScan {
  /** Offset up to which every match that begins is known. */
  decided = 0
  readonly block: number
  readonly longest: number
  readonly #detectors: readonly Detector[]
  /** Per rule: end of its last match, and a match that may continue. */
  readonly #covered: number[]
  readonly #open: (Open | undefined)[]
  #text = ''
  #base = 0
  /** Offset of the first block that was scanned as the last one, without the text that may follow. */
  #settled: number | undefined

  constructor(detectors: readonly Detector[]) {
    this.#detectors = detectors
    this.longest = Math.max(1, ...detectors.map(({ longest }) => longest))
    this.block = Math.min(mostBlock, Math.max(LEAST_BLOCK, this.longest >> 1))
    this.#covered = detectors.map(() => 0)
    this.#open = detectors.map(() => undefined)
  }

  /** Length of the text that has arrived. */
  get length(): number {
    return this.#base + this.#text.length
  }

  /** Adds text, also after the last block was scanned: matches that continue are found then, and none twice. */
  push(text: string): void {
    if (text === '') return
    this.decided = this.#settled ?? this.decided
    this.#settled = undefined
    this.#text += text
  }

  /** Scans the next block; undefined if its text has not arrived. `last`: no more text will arrive. */
  next(last: boolean): ScannedBlock | undefined {
    const start = this.decided
    const end = start + this.block + this.longest
    if (last ? start >= this.length : end > this.length) return undefined
    const from = Math.max(this.#base, start - contextLength)
    const window = this.#text.slice(from - this.#base, end - this.#base)
    const to = Math.min(start + this.block, this.length)
    if (end > this.length) this.#settled ??= start
    const spans = this.#scan({ window, offset: from, start, to })
    const text = window.slice(start - from, to - from)
    this.decided = to
    this.#drop(Math.max(0, (this.#settled ?? to) - contextLength))
    return { start, text, spans: spans.sort((a, b) => a.start - b.start || a.rule - b.rule) }
  }

  #drop(before: number): void {
    this.#text = this.#text.slice(before - this.#base)
    this.#base = before
  }

  #scan(block: Block): TextSpan[] {
    const folded = this.#detectors.some(({ folds }) => folds) ? foldText(block.window) : undefined
    const plain: FoldedText = { text: block.window, toRaw: (at) => at, fromRaw: (at) => at }
    return this.#detectors.flatMap((detector, rule) => {
      const view = detector.folds && folded !== undefined ? folded : plain
      return [...this.#continue(rule, view, block), ...this.#find(rule, view, block)]
    })
  }

  #continue(rule: number, view: FoldedText, { offset, window }: Block): TextSpan[] {
    const open = this.#open[rule]
    if (open === undefined || open.at > offset + window.length) return []
    const from = view.fromRaw(open.at - offset)
    const extended = Math.min(open.tail.extend(view.text, from), from + open.left)
    const atEnd = extended >= view.text.length
    const end = offset + (atEnd ? window.length : view.toRaw(extended))
    const left = open.left - (extended - from)
    this.#open[rule] = atEnd && left > 0 ? { tail: open.tail, at: end, left } : undefined
    if (end <= open.at) return []
    this.#covered[rule] = end
    return [{ rule, start: open.at, end, continued: true }]
  }

  #find(rule: number, view: FoldedText, { offset, window, start, to }: Block): TextSpan[] {
    const detector = this.#detectors[rule]
    const from = Math.max(start, this.#covered[rule] ?? 0)
    if (detector === undefined || from >= to) return []
    const matches = detector.find(view.text, view.fromRaw(from - offset), view.fromRaw(to - offset))
    return matches.map((match) => {
      const atEnd = match.end >= view.text.length
      const end = offset + (atEnd ? window.length : view.toRaw(match.end))
      this.#covered[rule] = end
      if (atEnd) this.#keepOpen(rule, match, end)
      return { rule, start: offset + view.toRaw(match.start), end, continued: false }
    })
  }

  #keepOpen(rule: number, { tail }: Match, at: number): void {
    if (tail !== undefined) this.#open[rule] = { tail, at, left: tail.limit }
  }
}

interface Block {
  readonly window: string
  /** Offset of the window in the whole text. */
  readonly offset: number
  /** The block: matches that begin here are reported. */
  readonly start: number
  readonly to: number
}
