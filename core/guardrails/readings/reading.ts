import { OffsetMap } from './offset-map.ts'
import type { ReadingKind } from './reading-writer.ts'
import { Transcript } from './transcript.ts'

interface Before {
  readonly length: number
  /** Number of characters that differ from the text. */
  readonly others: number
  readonly restore: () => void
}

/**
 * The reading of a text that arrives in parts. The result does not depend on where the parts begin. An incomplete sequence, such as the
 * beginning of an escape, waits for the next part.
 */
export class Reading {
  /** Number of characters so far. */
  length = 0
  readonly #transcript: Transcript
  readonly #map = new OffsetMap()
  #text = ''
  #base = 0
  /** Ends of the characters that differ from the text, and the index of the first that is still relevant. */
  #others: number[] = []
  #other = 0
  /** State from before the end of the text was read. */
  #before: Before | undefined

  /** `wall`: length of a gap that no match crosses. */
  constructor(kind: ReadingKind, wall: number) {
    this.#transcript = new Transcript(kind, wall, {
      plain: (text, start) => {
        this.#map.plain(this.length, start)
        this.#append(text)
      },
      part: (text, start, size, isOther) => {
        // Text that is not read marks the next character as different.
        if (isOther) this.#others.push(this.length + 1)
        if (text === '') return
        if (text.length === 1 && size === 1) this.#map.plain(this.length, start)
        else this.#map.part(this.length, start, size)
        this.#append(text)
      },
      other: (ahead) => this.#others.push(this.length + ahead + 1),
    })
  }

  /** Length of the part that later text does not change. */
  get certain(): number {
    return this.#before?.length ?? this.length
  }

  push(text: string): void {
    if (this.#before !== undefined) this.#goBack(this.#before)
    this.#transcript.push(text)
  }

  /** Reads the text that waits for more. More may arrive nevertheless. */
  end(): void {
    this.#before ??= { length: this.length, others: this.#others.length, restore: this.#transcript.end() }
  }

  slice(from: number, to: number): string {
    return this.#text.slice(from - this.#base, to - this.#base)
  }

  /** Offset in the text; after the last character, that of the waiting text. */
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

  /** Forgets the characters before `at`. */
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
    // By number, not by their ends: text that is not read may have marked a character that has not arrived.
    this.#others = this.#others.slice(0, others)
    this.#other = 0
    restore()
  }
}
