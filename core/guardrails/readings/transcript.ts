import { SHORTEST_TOKEN, beginToken, endOfToken, nextLine, readToken } from './encoded-token.ts'
import type { Token } from './encoded-token.ts'
import { decodeCharacter } from './encodings.ts'
import { foldCharacter } from './fold-character.ts'
import { isAllAlike } from './look-alikes.ts'
import { ReadingWriter } from './reading-writer.ts'
import type { ReadingKind, ReadingSink } from './reading-writer.ts'
import { isSpace, isUnfolded, specialOf, waitingFrom } from './special-characters.ts'
import { nextSpelled } from './spelled.ts'
import type { SpelledText } from './spelled.ts'

/** Starts a colour code of a terminal, which is read on its own. */
const ESCAPE = 0x1b
const wordPart = /[\p{L}\p{M}\p{N}\p{Default_Ignorable_Code_Point}]{1,64}/uy

interface State {
  /** Offset of the text that waits. */
  position: number
  waiting: string
  /** The last character of the text before it. */
  before: string
  /** End of a word without Latin letters. */
  foreignTo: number
  token: Token | undefined
  spelled: SpelledText | undefined
}

/** Reads a text in order: removes invisible characters, folds look-alikes, and decodes. */
export class Transcript {
  readonly #kind: ReadingKind
  readonly #sink: ReadingSink
  readonly #writer: ReadingWriter
  readonly #special: RegExp
  #state: State = {
    position: 0,
    waiting: '',
    before: '',
    foreignTo: 0,
    token: undefined,
    spelled: undefined,
  }

  constructor(kind: ReadingKind, wall: number, sink: ReadingSink) {
    this.#kind = kind
    this.#sink = sink
    this.#writer = new ReadingWriter(kind, wall, sink)
    this.#special = specialOf(kind.decodes)
  }

  /** Offset of the first text that has not been read. */
  get position(): number {
    const { position, token } = this.#state
    return position - (token?.size ?? 0)
  }

  push(text: string): void {
    if (this.#kind.letters !== 'exact') return this.#read(this.#state.waiting + text, false)
    this.#sink.plain(text, this.#state.position)
    this.#state.position += text.length
  }

  /** Reads the text that waits. Returns a function that restores the state, in case more text arrives. */
  end(): () => void {
    const state = { ...this.#state }
    const restore = this.#writer.save()
    this.#read(state.waiting, true)
    return () => {
      this.#state = state
      restore()
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
      const next = this.#step({ text, offset, at, stop, isEnd })
      if (next === undefined) break
      at = next
    }
    state.position = offset + at
    if (at > 0) state.before = text.charAt(at - 1)
    state.waiting = text.slice(at)
  }

  #step(window: Window): number | undefined {
    const { token, spelled } = this.#state
    if (token !== undefined) return this.#token(token, window)
    return spelled === undefined ? this.#next(window) : this.#spelled(spelled, window)
  }

  /** Reads up to the end of the next special character; undefined if it waits. */
  #next({ text, offset, at, stop, isEnd }: Window): number | undefined {
    if (at >= stop) return undefined
    this.#special.lastIndex = at
    const match = this.#special.exec(text)
    const to = Math.min(match?.index ?? stop, stop)
    if (to > at) {
      this.#writer.plain(text.slice(at, to), offset + at)
      return to
    }
    const [found = ''] = match ?? []
    const separator = match?.groups?.['separator']
    const first = text.charCodeAt(at)
    if (separator !== undefined) return this.#beginSpelled(separator, text, offset, at)
    if (isSpace(found) && isSpace(found.at(-1) ?? ''))
      return at + this.#writer.spaces(offset + at, Math.min(found.length, stop - at))
    if (isUnfolded(first) && found.length === 1) return this.#folded({ text, offset, at, stop, isEnd })
    if (found.length >= SHORTEST_TOKEN && endOfToken(text, at) - at >= SHORTEST_TOKEN)
      return this.#begin(text, offset, at)
    const decoded = decodeCharacter(text, at)
    if (decoded === undefined) this.#writer.plain(text.slice(at, at + 1), offset + at)
    else this.#writer.part(decoded.text, offset + at, decoded.length, true)
    return at + (decoded?.length ?? 1)
  }

  // A run of characters outside ASCII. Those that are read as one character each are written together.
  #folded(window: Window): number | undefined {
    const { text, offset, at: from, stop } = window
    let at = from
    let run = ''
    while (at < stop) {
      const unit = text.charCodeAt(at)
      if (!isUnfolded(unit) || (unit === ESCAPE && at > from)) break
      const isHead = unit >= 0xd800 && unit <= 0xdbff
      // Half of a surrogate pair waits for the other.
      if (isHead && at + 1 === text.length && !window.isEnd) break
      const second = isHead ? text.charCodeAt(at + 1) : 0
      const size = second >= 0xdc00 && second <= 0xdfff ? 2 : 1
      const code = size === 1 ? unit : 0x10000 + ((unit - 0xd800) << 10) + (second - 0xdc00)
      const one = foldCharacter(code, this.#writer.letters)
      if (one.alike !== undefined && !this.#isWordKnown(window, at)) break
      const read = this.#writer.fold(one, text.slice(at, at + size), run.length)
      if (read !== undefined) run += read
      else {
        this.#writer.run(run, offset + at)
        run = ''
        this.#writer.part(text.slice(at, at + size), offset + at, size, false)
      }
      at += size
    }
    this.#writer.run(run, offset + at)
    return at === from ? undefined : at
  }

  // Only the end of a word shows whether it has letters of two scripts.
  #isWordKnown({ text, offset, isEnd }: Window, at: number): boolean {
    const state = this.#state
    if (this.#writer.isLatin || offset + at < state.foreignTo) return true
    wordPart.lastIndex = at
    const [word = ''] = wordPart.exec(text) ?? []
    if (at + word.length === text.length && word.length < 64 && !isEnd) return false
    if (/\p{Script=Latin}/u.test(word) || isAllAlike(word)) this.#writer.beLatin()
    else state.foreignTo = offset + at + word.length
    return true
  }

  #begin(text: string, offset: number, at: number): number {
    this.#state.token = beginToken(text, at)
    if (this.#state.token !== undefined) return at
    const end = endOfToken(text, at)
    // A slash after the token may begin a comment.
    const to = text[end - 1] === '/' && end - 1 > at ? end - 1 : end
    this.#writer.plain(text.slice(at, to), offset + at)
    return to
  }

  // Written group by group, so that a mask does not cover other groups.
  #token(token: Token, { text, offset, at: from, isEnd }: Window): number | undefined {
    const to = endOfToken(text, from)
    // A token may be continued on the next line.
    const line = nextLine(token, text, to, token.column + to - from)
    const isLast = line === undefined || (line === 'waits' && isEnd)
    let at = from
    for (const { text: decoded, length, next } of readToken(token, text.slice(from, to), isLast)) {
      at += length
      this.#group(decoded, offset + at, length)
      this.#state.token = next
    }
    if (isLast) this.#state.token = undefined
    if (typeof line !== 'number') return isLast || at > from ? at : undefined
    this.#writer.part('', offset + to, line - to, true)
    const last = this.#state.token ?? token
    this.#state.token = { ...last, column: 0, size: last.size === 0 ? 0 : last.size + line - to }
    return line
  }

  // A decoded character maps to all groups that it is split over.
  #group(text: string, end: number, length: number): void {
    const size = length + (this.#state.token?.size ?? 0)
    if (text !== '') this.#writer.part(text, end - size, size, true)
  }

  #beginSpelled(separator: string, text: string, offset: number, at: number): number {
    this.#state.spelled = { separator }
    this.#writer.part(text.charAt(at), offset + at, 1, true)
    return at + 1
  }

  #spelled(spelled: SpelledText, { text, offset, at, isEnd }: Window): number | undefined {
    const next = nextSpelled(spelled, text, at, isEnd)
    if (next === 'waits') return undefined
    if (next === undefined) {
      this.#state.spelled = undefined
      return at
    }
    const to = at + next.gap
    this.#writer.part(next.isWord ? ' ' : '', offset + at, next.gap, true)
    this.#writer.part(text.charAt(to), offset + to, 1, true)
    return to + 1
  }
}

interface Window {
  readonly text: string
  readonly offset: number
  readonly at: number
  readonly stop: number
  readonly isEnd: boolean
}
