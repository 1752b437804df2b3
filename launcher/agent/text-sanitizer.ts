import { toStorable } from '#schemas/storable-text.ts'

/** Makes streamed text storable piece by piece: U+FFFD in place of U+0000 and of lone surrogates (F5). */
export interface TextSanitizer {
  /** The storable text of what is complete; a high surrogate at the end waits for its other half. */
  push(piece: string): string
  /** What still waits, once no more pieces follow. */
  end(): string
}

/** Makes the mender of one text. Providers may split an emoji between two pieces, so pieces cannot be mended one by one. */
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
