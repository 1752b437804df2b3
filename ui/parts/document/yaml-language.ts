import { StreamLanguage, indentService } from '@codemirror/language'
import type { StreamParser } from '@codemirror/language'
import type { Extension } from '@codemirror/state'

interface LineState {
  /** Column of the key whose value is a block of text; -1 outside of one. */
  blockAt: number
  /** A quote that is open over the end of a line. */
  quote: string
  isKeyNext: boolean
}

const blockStart = /^[|>][-+\d]*\s*(?:#.*)?$/
const plainEnd = /^(?:(?!\s+#|:(?:\s|$)).)+/
const key = /^(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s"'#&*!|>%@`,[\]{}](?:(?!\s#|:(?:\s|$)).)*?)(?=\s*:(?:\s|$))/

// A parser of the whole grammar is 12 KB more, and the document itself is read by the package `yaml`.
const parser: StreamParser<LineState> = {
  name: 'yaml',
  startState: () => ({ blockAt: -1, quote: '', isKeyNext: true }),
  token(stream, state) {
    if (stream.sol()) {
      state.isKeyNext = true
      if (state.blockAt >= 0 && (stream.indentation() > state.blockAt || /^\s*$/.test(stream.string))) {
        stream.skipToEnd()
        return 'string'
      }
      state.blockAt = -1
    }
    if (state.quote !== '') return readQuoted(stream, state)
    if (stream.eatSpace()) return null
    if (stream.match(/^#.*/)) return 'comment'
    if (stream.match(/^(?:---|\.\.\.)(?=\s|$)/) || stream.match(/^%.*/)) return 'meta'
    if (stream.match(/^[&*][^\s,[\]{}]+/)) return 'labelName'
    if (stream.match(/^![^\s,[\]{}]*/)) return 'typeName'
    if (stream.match(/^[-?](?=\s|$)/) || stream.match(/^[,[\]{}:]/)) {
      state.isKeyNext = true
      return 'punctuation'
    }
    if (stream.match(blockStart)) {
      state.blockAt = stream.indentation()
      return 'meta'
    }
    if (state.isKeyNext && stream.match(key)) {
      state.isKeyNext = false
      return 'propertyName'
    }
    const quote = stream.peek() ?? ''
    if (quote === '"' || quote === "'") {
      stream.next()
      state.quote = quote
      return readQuoted(stream, state)
    }
    if (stream.match(plainEnd) === null) stream.next()
    return null
  },
  languageData: { commentTokens: { line: '#' } },
}

function readQuoted(stream: Parameters<typeof parser.token>[0], state: LineState): string {
  const end = state.quote === '"' ? /^(?:[^"\\]|\\.)*"/ : /^(?:[^']|'')*'(?!')/
  if (stream.match(end)) state.quote = ''
  else stream.skipToEnd()
  return 'string'
}

// The next line is as deep as the last one, and deeper after what begins a block.
const indentation = indentService.of(({ state, unit }, at) => {
  const line = state.doc.lineAt(Math.max(0, at - 1))
  const depth = /^ */.exec(line.text)?.[0].length ?? 0
  return /(?::|[|>][-+]?)\s*$/.test(line.text) ? depth + unit : depth
})

/** Colours and indentation of YAML. */
export const yamlLanguage: Extension = [StreamLanguage.define(parser), indentation]
