import { toStorable } from '#schemas/values/storable-text.ts'

/** Replaces U+0000 and lone surrogates in streamed text with U+FFFD (F5). */
export interface TextSanitizer {
  /** Returns the storable text; holds back a high surrogate at the end until the next piece. */
  push(piece: string): string
  /** Returns the held-back text after the last piece. */
  end(): string
}

/** Creates the sanitizer of one text. Providers may split an emoji between two pieces, so pieces cannot be sanitized separately. */
export function createTextSanitizer(): TextSanitizer {
  let waiting = ''
  return {
    push(piece) {
      const text = waiting + piece
      waiting = /[\uD800-\uDBFF]$/.test(text) ? text.slice(-1) : ''
      return toStorable(waiting === '' ? text : text.slice(0, -1))
    },
    end() {
      const rest = toStorable(waiting)
      waiting = ''
      return rest
    },
  }
}
