import { foldCharacter, keepsMark } from './fold-character.ts'
import type { FoldedCharacter, Letters } from './fold-character.ts'
import { isSpace } from './special-characters.ts'

/** One way to read a text. */
export interface ReadingKind {
  readonly letters: Letters
  /** Whether characters in an encoding, such as `%41`, `&#65;` or base64, are read decoded. */
  readonly decodes: boolean
}

/** Receives a reading, with offsets in the text. */
export interface ReadingSink {
  /** Characters as they are. */
  plain(text: string, start: number): void
  /** Characters that stand for a part of the text; none for a part that is not read. */
  part(text: string, start: number, size: number, isOther: boolean): void
  /** The character after the next `ahead` ones differs from that of the text. */
  other(ahead: number): void
}

/** Maximum number of consecutive invisible characters across which a match is found. */
export const MAX_GAP = 1024

interface State {
  /** The last character that was read. */
  last: string
  /** Number of characters since then. */
  gap: number
  /** The end of what was read, with a Latin letter for each letter of that script. */
  word: string
}

/** Writes a reading to a sink: folds characters, and omits invisible ones. */
export class ReadingWriter {
  readonly letters: Exclude<Letters, 'exact'>
  readonly #decodes: boolean
  readonly #wall: string
  readonly #sink: ReadingSink
  #state: State = { last: '', gap: 0, word: '' }

  /** `wall`: length of a gap that no match crosses. */
  constructor({ letters, decodes }: ReadingKind, wall: number, sink: ReadingSink) {
    this.letters = letters === 'exact' ? 'words' : letters
    this.#decodes = decodes
    this.#wall = '\n'.repeat(wall)
    this.#sink = sink
  }

  /** Whether the word so far has a Latin letter. */
  get isLatin(): boolean {
    return /[A-Za-z][A-Za-z0-9_]{0,63}$/.test(this.#state.word)
  }

  /** Marks the rest of the word as having Latin letters. */
  beLatin(): void {
    this.#state.word = 'a'
  }

  /** Returns a function that restores the current state. */
  save(): () => void {
    const state = { ...this.#state }
    return () => {
      this.#state = state
    }
  }

  /** Writes text as it is. */
  plain(given: string, start: number): void {
    const state = this.#state
    const skipped = isSpace(given) && isSpace(state.last) ? this.spaces(start, 1) : 0
    const text = given.slice(skipped)
    if (text === '') return
    this.#sink.plain(text, start + skipped)
    state.word = text.length < 64 ? (state.word + text).slice(-64) : text.slice(-64)
    state.last = text.at(-1) ?? ''
    state.gap = 0
  }

  /** Returns the text of a character that folds to the same length; undefined for any other, which is written as a part. */
  fold(one: FoldedCharacter, character: string, ahead: number): string | undefined {
    const read = this.#textOf(one, character)
    if (read.length !== character.length || one.isSpace) return undefined
    if (this.#isOther(one, read)) this.#sink.other(ahead)
    this.#keepState(one, read)
    return read
  }

  /** Writes folded characters that end at an offset. */
  run(text: string, end: number): void {
    if (text !== '') this.#sink.plain(text, end - text.length)
  }

  /** Writes characters that stand for a part of the text. */
  part(source: string, start: number, size: number, isDecoded: boolean): void {
    let [read, isOther] = ['', this.#decodes && isDecoded]
    for (const character of source) {
      const one = foldCharacter(character.codePointAt(0) ?? 0, this.letters)
      const text = this.#textOf(one, character)
      isOther ||= this.#isOther(one, text)
      if (text === '' || (one.isSpace && isSpace(this.#state.last))) continue
      read += text
      this.#keepState(one, text)
    }
    if (read === '') this.#unseen(start, size, isOther)
    else this.#sink.part(read, start, size, isOther)
  }

  /** Leaves out white space. Returns its size. */
  spaces(start: number, size: number): number {
    for (let nth = 0; nth < size; nth++) this.#unseen(start + nth, 1, false)
    return size
  }

  #textOf({ text, isMark, alike }: FoldedCharacter, character: string): string {
    if (isMark && !keepsMark(this.#state.last, character, this.letters)) return ''
    return alike !== undefined && this.isLatin ? alike : text
  }

  #isOther({ isOther, text }: FoldedCharacter, read: string): boolean {
    return !this.#decodes && (isOther || text !== read)
  }

  #keepState({ word }: FoldedCharacter, read: string): void {
    const state = this.#state
    if (word === undefined) state.word = ''
    else if (word === 'latin') state.word = 'a'
    state.last = read.at(-1) ?? ''
    state.gap = 0
  }

  // A gap is bounded, since the text held back for a match is bounded.
  #unseen(start: number, size: number, isOther: boolean): void {
    const state = this.#state
    state.gap += size
    if (state.gap <= MAX_GAP) this.#sink.part('', start, size, isOther)
    else {
      this.#sink.part(this.#wall, start, size, false)
      state.gap = 0
      state.last = '\n'
    }
  }
}
