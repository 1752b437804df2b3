import type { Detector } from './detectors/detector.ts'
import { ReadingScan } from './reading-scan.ts'
import type { SearchingRule, TextSpan } from './reading-scan.ts'
import type { ReadingKind } from './readings/reading-writer.ts'
import { MAX_WAITING } from './readings/special-characters.ts'

/** A part of a text, and the matches that begin in it or continue there. */
export interface ScannedBlock {
  readonly start: number
  readonly text: string
  readonly spans: readonly TextSpan[]
}

const kinds: readonly ReadingKind[] = [
  { letters: 'exact', decodes: false },
  { letters: 'shapes', decodes: false },
  { letters: 'words', decodes: false },
  { letters: 'shapes', decodes: true },
  { letters: 'words', decodes: true },
]

/**
 * Scans a text that arrives in parts, in each way that one of its rules reads it. Its results depend on the text only: they are returned in
 * the order of the text, as far as every reading is scanned.
 */
export class TextScan {
  /** Every match that begins before this offset is known. */
  decided = 0
  /** Maximum number of undecided characters, if every character of the text is read. */
  readonly lookBack: number
  readonly #scans: readonly ReadingScan[]
  /** Per rule: end of its last match. */
  readonly #covered: number[]
  #found: TextSpan[] = []
  #text = ''
  #base = 0
  #ended = false

  constructor(detectors: readonly Detector[], { decodes = true }: { readonly decodes?: boolean } = {}) {
    const used = kinds.filter((kind) => decodes || !kind.decodes)
    this.#scans = used.flatMap((kind) => {
      const searching = detectors.flatMap((detector, rule) => searchingOf(detector, rule, kind) ?? [])
      // A text that no rule reads still passes through a scan.
      const isRead = searching.length > 0 || (detectors.length === 0 && kind.letters === 'exact')
      return isRead ? [new ReadingScan(kind, searching)] : []
    })
    this.lookBack = MAX_WAITING + Math.max(0, ...this.#scans.map(({ block, longest }) => block + longest))
    this.#covered = detectors.map(() => 0)
  }

  /** Length of the text that has arrived. */
  get length(): number {
    return this.#base + this.#text.length
  }

  /** Adds text, also after the end: matches that continue are found then, and none twice. */
  push(text: string): void {
    if (text === '') return
    this.#ended = false
    this.#text += text
    for (const scan of this.#scans) scan.push(text)
    this.decided = this.#known()
  }

  /** Scans the next part; undefined if its text has not arrived. `last`: no more text will arrive. */
  next(last: boolean): ScannedBlock | undefined {
    if (last && !this.#ended) for (const scan of this.#scans) scan.end()
    this.#ended ||= last
    while (this.#advance(last)) {
      const start = this.decided
      const to = this.#known()
      if (to > start) return this.#take(start, to)
    }
    return undefined
  }

  #known(): number {
    let to = this.length
    for (const { decided } of this.#scans) to = Math.min(to, decided)
    return to
  }

  // Advances the reading that lags behind the others, so that the order in which blocks are scanned does not depend on what has arrived.
  #advance(last: boolean): boolean {
    let first: ReadingScan | undefined
    for (const scan of this.#scans) if (first === undefined || scan.decided < first.decided) first = scan
    const spans = first?.next(last)
    if (spans === undefined) return false
    this.#found.push(...spans)
    return true
  }

  #take(start: number, to: number): ScannedBlock {
    const text = this.#text.slice(start - this.#base, to - this.#base)
    this.decided = to
    let kept = to
    for (const scan of this.#scans) kept = Math.min(kept, scan.kept)
    this.#text = this.#text.slice(kept - this.#base)
    this.#base = kept
    return { start, text, spans: this.#found.length === 0 ? [] : this.#due(to) }
  }

  #due(to: number): readonly TextSpan[] {
    const due = this.#found.filter((span) => span.start < to).sort((a, b) => a.start - b.start || a.rule - b.rule)
    this.#found = this.#found.filter((span) => span.start >= to)
    return due.flatMap((span) => this.#uncovered(span) ?? [])
  }

  // Overlapping matches of one rule in two readings count as one.
  #uncovered(span: TextSpan): TextSpan | undefined {
    const covered = this.#covered[span.rule] ?? 0
    if (span.end <= covered) return undefined
    this.#covered[span.rule] = span.end
    return span.start < covered ? { ...span, start: covered, continued: true } : span
  }
}

function searchingOf(detector: Detector, rule: number, { letters, decodes }: ReadingKind): SearchingRule | undefined {
  // A pattern is written for the text as it is: in other readings it is searched where they differ.
  const isPattern = detector.letters === 'exact' && letters === 'words'
  if (detector.letters !== letters && !isPattern) return undefined
  return { rule, detector, onlyOther: decodes || isPattern }
}
