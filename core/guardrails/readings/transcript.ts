import { SHORTEST_TOKEN, beginToken, endOfToken, readToken } from './encoded-token.ts'
import type { Token } from './encoded-token.ts'
import { decodeCharacter } from './encodings.ts'
import { foldCharacter, keepsMark } from './fold-character.ts'
import type { FoldedCharacter, Letters } from './fold-character.ts'
import { isSpace, isUnfolded, specialOf, waitingFrom } from './special-characters.ts'

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
  /** The character behind so many that will follow is another one. */
  other(ahead: number): void
}

/** Characters in a row that are not seen, across which a match is found. */
export const MAX_GAP = 1024

const wordPart = /[\p{L}\p{M}\p{N}\p{Default_Ignorable_Code_Point}]{1,64}/uy

interface State {
  /** Offset of the text that waits. */
  position: number
  waiting: string
  /** The last character of the text before it. */
  before: string
  /** The last character that was read. */
  last: string
  /** Number of characters since then. */
  gap: number
  /** The end of what was read, with a Latin letter for each letter of that script. */
  word: string
  /** End of a word without any. */
  foreignTo: number
  token: Token | undefined
}

/** Reads a text in its order: removes what is not seen, folds what looks alike, and decodes. */
export class Transcript {
  readonly #kind: ReadingKind
  readonly #letters: Exclude<Letters, 'exact'>
  readonly #wall: string
  readonly #sink: ReadingSink
  readonly #special: RegExp
  #state: State = {
    position: 0,
    waiting: '',
    before: '',
    last: '',
    gap: 0,
    word: '',
    foreignTo: 0,
    token: undefined,
  }

  constructor(kind: ReadingKind, wall: number, sink: ReadingSink) {
    this.#kind = kind
    this.#letters = kind.letters === 'exact' ? 'words' : kind.letters
    this.#wall = '\n'.repeat(wall)
    this.#sink = sink
    this.#special = specialOf(kind.decodes)
  }

  /** Offset of what has not been read. */
  get position(): number {
    return this.#state.position
  }

  push(text: string): void {
    if (this.#kind.letters !== 'exact') return this.#read(this.#state.waiting + text, false)
    this.#sink.plain(text, this.#state.position)
    this.#state.position += text.length
  }

  /** Reads what waits. Returns the way back, for text that arrives nevertheless. */
  end(): () => void {
    const state = { ...this.#state }
    this.#read(state.waiting, true)
    return () => {
      this.#state = state
    }
  }

  #read(given: string, isEnd: boolean): void {
    const state = this.#state
    const text = state.before + given
    // Offset of `text` in the whole text.
    const offset = state.position - state.before.length
    let at = state.before.length
    const stop = isEnd || !this.#kind.decodes ? text.length : waitingFrom(text)
    while (at < text.length) {
      const next =
        state.token === undefined ? this.#next({ text, offset, at, stop, isEnd }) : this.#token(text, offset, at, isEnd)
      if (next === undefined) break
      at = next
    }
    state.position = offset + at
    if (at > 0) state.before = text.charAt(at - 1)
    state.waiting = text.slice(at)
  }

  /** Reads up to the end of the next special character; undefined if it waits. */
  #next({ text, offset, at, stop, isEnd }: Window): number | undefined {
    if (at >= stop) return undefined
    this.#special.lastIndex = at
    const match = this.#special.exec(text)
    const to = Math.min(match?.index ?? stop, stop)
    if (to > at) {
      this.#plain(text.slice(at, to), offset + at)
      return to
    }
    const [found = ''] = match ?? []
    const first = text.charCodeAt(at)
    if (isSpace(found)) return at + this.#spaces(offset + at, Math.min(found.length, stop - at))
    if (isUnfolded(first)) return this.#folded({ text, offset, at, stop, isEnd })
    if (found.length >= SHORTEST_TOKEN) return this.#begin(text, offset, at)
    const decoded = decodeCharacter(text, at)
    if (decoded === undefined) this.#plain(text.slice(at, at + 1), offset + at)
    else this.#part(decoded.text, offset + at, decoded.length, true)
    return at + (decoded?.length ?? 1)
  }

  #plain(given: string, start: number): void {
    const state = this.#state
    const skipped = isSpace(given) && isSpace(state.last) ? this.#spaces(start, 1) : 0
    const text = given.slice(skipped)
    if (text === '') return
    this.#sink.plain(text, start + skipped)
    state.word = text.length < 64 ? (state.word + text).slice(-64) : text.slice(-64)
    state.last = text.at(-1) ?? ''
    state.gap = 0
  }

  // A run of characters outside ASCII. Those that are read as one character each are written together.
  #folded(window: Window): number | undefined {
    const { text, offset, at: from, stop } = window
    let at = from
    let run = ''
    while (at < stop) {
      const unit = text.charCodeAt(at)
      if (!isUnfolded(unit)) break
      const isHead = unit >= 0xd800 && unit <= 0xdbff
      // The half of a character.
      if (isHead && at + 1 === text.length && !window.isEnd) break
      const second = isHead ? text.charCodeAt(at + 1) : 0
      const size = second >= 0xdc00 && second <= 0xdfff ? 2 : 1
      const code = size === 1 ? unit : 0x10000 + ((unit - 0xd800) << 10) + (second - 0xdc00)
      const one = foldCharacter(code, this.#letters)
      if (one.alike !== undefined && !this.#isWordKnown(window, at)) break
      const read = this.#textOf(one, text.slice(at, at + size))
      if (read.length === size && !one.isSpace) {
        if (this.#isOther(one, read)) this.#sink.other(run.length)
        run += read
        this.#keepState(one, read)
      } else {
        this.#write(run, offset + at)
        run = ''
        this.#part(text.slice(at, at + size), offset + at, size, false)
      }
      at += size
    }
    this.#write(run, offset + at)
    return at === from ? undefined : at
  }

  #write(run: string, end: number): void {
    if (run !== '') this.#sink.plain(run, end - run.length)
  }

  // Whether letters of two scripts are in one word is known at its end.
  #isWordKnown({ text, offset, isEnd }: Window, at: number): boolean {
    const state = this.#state
    if (isLatin(state.word) || offset + at < state.foreignTo) return true
    wordPart.lastIndex = at
    const [word = ''] = wordPart.exec(text) ?? []
    if (at + word.length === text.length && word.length < 64 && !isEnd) return false
    if (/\p{Script=Latin}/u.test(word)) state.word = 'a'
    else state.foreignTo = offset + at + word.length
    return true
  }

  #part(source: string, start: number, size: number, isDecoded: boolean): void {
    const { decodes } = this.#kind
    let [read, isOther] = ['', decodes && isDecoded]
    for (const character of source) {
      const one = foldCharacter(character.codePointAt(0) ?? 0, this.#letters)
      const text = this.#textOf(one, character)
      isOther ||= this.#isOther(one, text)
      if (text === '' || (one.isSpace && isSpace(this.#state.last))) continue
      read += text
      this.#keepState(one, text)
    }
    if (read === '') this.#unseen(start, size, isOther)
    else this.#sink.part(read, start, size, isOther)
  }

  #textOf({ text, isMark, alike }: FoldedCharacter, character: string): string {
    const { last, word } = this.#state
    if (isMark && !keepsMark(last, character, this.#letters)) return ''
    return alike !== undefined && isLatin(word) ? alike : text
  }

  #isOther({ isOther, text }: FoldedCharacter, read: string): boolean {
    return !this.#kind.decodes && (isOther || text !== read)
  }

  #keepState({ word }: FoldedCharacter, read: string): void {
    const state = this.#state
    if (word === undefined) state.word = ''
    else if (word === 'latin') state.word = 'a'
    state.last = read.at(-1) ?? ''
    state.gap = 0
  }

  #spaces(start: number, size: number): number {
    for (let nth = 0; nth < size; nth++) this.#unseen(start + nth, 1, false)
    return size
  }

  // A gap is bounded: what is held back for a match is.
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

  #begin(text: string, offset: number, at: number): number {
    this.#state.token = beginToken(text, at)
    if (this.#state.token !== undefined) return at
    const end = endOfToken(text, at)
    this.#plain(text.slice(at, end), offset + at)
    return end
  }

  // Group by group, so that a mask leaves the others.
  #token(text: string, offset: number, from: number, isEnd: boolean): number | undefined {
    const { token } = this.#state
    if (token === undefined) return from
    const to = endOfToken(text, from)
    const isLast = to < text.length || isEnd
    let at = from
    for (const { text: decoded, length } of readToken(token, text.slice(from, to), isLast)) {
      this.#part(decoded, offset + at, length, true)
      at += length
    }
    if (isLast) this.#state.token = undefined
    return isLast || at > from ? at : undefined
  }
}

interface Window {
  readonly text: string
  readonly offset: number
  readonly at: number
  readonly stop: number
  readonly isEnd: boolean
}

function isLatin(end: string): boolean {
  return /[A-Za-z][A-Za-z0-9_]{0,63}$/.test(end)
}
