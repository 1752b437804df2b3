/**
 * Maps offsets of a reading to its text, by segments in order. The characters of a segment stand for one character each, or together for a
 * part of the text. Text between segments is not read.
 */
export class OffsetMap {
  /** Three numbers per segment: its first character, the offset of that in the text, and the length of the replaced text. A length of 0 means one character each. */
  #first: number[] = []
  #starts: number[] = []
  #sizes: number[] = []
  #dropped = 0
  /** Offset of the last segment, if its characters stand for one each. */
  #shift = Number.NaN

  /** Adds characters that stand for one each, from an offset of the text. */
  plain(at: number, start: number): void {
    if (this.#shift === start - at) return
    this.#add(at, start, 0)
    this.#shift = start - at
  }

  /** Adds characters that together stand for a part of the text. */
  part(at: number, start: number, size: number): void {
    this.#add(at, start, size)
    this.#shift = Number.NaN
  }

  startOf(at: number): number {
    const index = this.#indexOf(at)
    const start = this.#starts[index] ?? at
    return this.#sizes[index] === 0 ? start + at - (this.#first[index] ?? at) : start
  }

  /** End in the text of the character before `at`. */
  endOf(at: number): number {
    const index = this.#indexOf(at - 1)
    const size = this.#sizes[index] ?? 0
    const start = this.#starts[index] ?? at
    return size === 0 ? start + at - (this.#first[index] ?? at) : start + size
  }

  /** Forgets the characters from `at` on. */
  truncate(at: number): void {
    while ((this.#first.at(-1) ?? -1) >= at) for (const list of [this.#first, this.#starts, this.#sizes]) list.pop()
    this.#shift = Number.NaN
  }

  /** Forgets the characters before `at`, once there are enough of them. */
  drop(at: number): void {
    this.#dropped = this.#indexOf(at)
    if (this.#dropped < 64 || 2 * this.#dropped < this.#first.length) return
    this.#first = this.#first.slice(this.#dropped)
    this.#starts = this.#starts.slice(this.#dropped)
    this.#sizes = this.#sizes.slice(this.#dropped)
    this.#dropped = 0
  }

  #add(at: number, start: number, size: number): void {
    this.#first.push(at)
    this.#starts.push(start)
    this.#sizes.push(size)
  }

  #indexOf(at: number): number {
    let low = this.#dropped
    let high = this.#first.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.#first[middle] ?? 0) <= at) low = middle
      else high = middle - 1
    }
    return low
  }
}
