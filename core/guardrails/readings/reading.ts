import { OffsetMap } from './offset-map.ts'
import type { ReadingKind } from './reading-writer.ts'
import { Transcript } from './transcript.ts'

interface Before {
  readonly length: number
  /** Number of other characters. */
  readonly others: number
  readonly restore: () => void
}

/**
 * A text as it is read, which arrives in parts. The result does not depend on where the parts begin. What is not complete, such as the
 * beginning of an escape, waits for the next part.
 */
export class Reading {
  /** Number of characters so far. */
  length = 0
  readonly #transcript: Transcript
  readonly #map = new OffsetMap()
  #text = ''
  #base = 0
  /** Ends of characters that are read as other ones than those of the text, and the first of them that is of interest. */
  #others: number[] = []
  #other = 0
  /** What there was before the end of the text was read. */
  #before: Before | undefined

  /** `wall`: characters of a gap that nothing matches across. */
  constructor(kind: ReadingKind, wall: number) {
    this.#transcript = new Transcript(kind, wall, {
      plain: (text, start) => {
        this.#map.plain(this.length, start)
        this.#append(text)
      },
      part: (text, start, size, isOther) => {
        // What is not read makes the next character another one.
        if (isOther) this.#others.push(this.length + 1)
        if (text === '') return
        if (text.length === 1 && size === 1) this.#map.plain(this.length, start)
        else this.#map.part(this.length, start, size)
        this.#append(text)
      },
      other: (ahead) => this.#others.push(this.length + ahead + 1),
    })
  }

  /** Length of what later text does not change. */
  get certain(): number {
    return this.#before?.length ?? this.length
  }

  push(text: string): void {
    if (this.#before !== undefined) this.#goBack(this.#before)
    this.#transcript.push(text)
  }

  /** Reads what waits for more text. More may arrive nevertheless. */
  end(): void {
    this.#before ??= { length: this.length, others: this.#others.length, restore: this.#transcript.end() }
  }

  slice(from: number, to: number): string {
    return this.#text.slice(from - this.#base, to - this.#base)
  }

  /** Offset in the text. Behind the last character: of the text that waits. */
  startOf(at: number): number {
    return at < this.length ? this.#map.startOf(at) : this.#transcript.position
  }

  endOf(at: number): number {
    return this.#map.endOf(at)
  }

  /** Whether a part of the reading has other characters than the text. */
  isOther(from: number, to: number): boolean {
    while ((this.#others[this.#other] ?? Infinity) <= from) this.#other++
    return (this.#others[this.#other] ?? Infinity) <= to
  }

  /** Forgets what is before `at`. */
  drop(at: number): void {
    if (at <= this.#base) return
    this.#text = this.#text.slice(at - this.#base)
    this.#base = at
    this.#map.drop(at)
    if (this.#other < 64 || 2 * this.#other < this.#others.length) return
    this.#others = this.#others.slice(this.#other)
    if (this.#before !== undefined)
      this.#before = { ...this.#before, others: Math.max(0, this.#before.others - this.#other) }
    this.#other = 0
  }

  #append(text: string): void {
    this.#text += text
    this.length += text.length
  }

  #goBack({ length, others, restore }: Before): void {
    this.#before = undefined
    this.#text = this.#text.slice(0, Math.max(0, length - this.#base))
    this.length = length
    this.#map.truncate(length)
    // Not by their ends: what is not read makes a character another one that has not arrived.
    this.#others = this.#others.slice(0, others)
    this.#other = 0
    restore()
  }
}
