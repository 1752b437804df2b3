import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { bracketMatching, indentUnit } from '@codemirror/language'
import { lintGutter, setDiagnostics } from '@codemirror/lint'
import { Compartment, EditorState, Prec } from '@codemirror/state'
import type { Extension } from '@codemirror/state'
import {
  EditorView,
  drawSelection,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view'
import { codeTheme } from './code-theme.ts'
import { yamlLanguage } from './yaml-language.ts'
import type { PlacedProblem } from '../yaml/yaml-source.ts'

/** What an editor shows at first, and what it reports. */
export interface CodeEditorInput {
  readonly text: string
  /** Its name, for screen readers. */
  readonly label: string
  readonly isReadOnly: boolean
  onChange(text: string): void
  /** `Ctrl Enter`. */
  onSave(): void
}

/** An editor in the page. */
export interface CodeEditor {
  /** Replaces the text, unless it is one that the editor has just reported. */
  setText(text: string): void
  setReadOnly(isReadOnly: boolean): void
  setProblems(problems: readonly PlacedProblem[]): void
  /** Selects a place and scrolls to it. */
  select(from: number): void
  close(): void
}

// Letters that a page may be behind.
const MOST_REPORTED = 30

/** What all documents share, also those that are only read. */
export const shownCode: Extension = [
  lineNumbers(),
  drawSelection(),
  yamlLanguage,
  codeTheme,
  EditorView.lineWrapping,
  EditorState.tabSize.of(2),
]

/**
 * The shadow root of an element, for an editor: CodeMirror writes its styles into constructable sheets there, which the policy `style-src 'self'`
 * allows, and into a `<style>` in a document, which it does not.
 */
export function shadowOf(host: HTMLElement): ShadowRoot {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' })
  root.replaceChildren()
  return root
}

/** Starts an editor in an element. */
export function startEditor(
  host: HTMLElement,
  { text, label, isReadOnly, onChange, onSave }: CodeEditorInput,
): CodeEditor {
  const root = shadowOf(host)
  const access = new Compartment()
  // Texts that were reported and have not come back. A person who types goes on before the page has rendered the letter before.
  let reported: readonly string[] = []
  const report = (next: string): void => {
    reported = [...reported, next].slice(-MOST_REPORTED)
    onChange(next)
  }
  const readOnly = (isOn: boolean): Extension => [EditorState.readOnly.of(isOn), EditorView.editable.of(!isOn)]
  // Tab moves the focus on, as everywhere on the page.
  const save = Prec.highest(keymap.of([{ key: 'Mod-Enter', run: () => (onSave(), true) }]))
  const extensions = [
    save,
    shownCode,
    history(),
    bracketMatching(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    lintGutter(),
    indentUnit.of('  '),
    keymap.of([...defaultKeymap, ...historyKeymap]),
    access.of(readOnly(isReadOnly)),
    EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false', tabindex: '0' }),
    EditorView.updateListener.of(({ docChanged, state, transactions }) => {
      const isOurs = transactions.some((one) => one.isUserEvent('set'))
      if (docChanged && !isOurs) report(state.doc.toString())
    }),
  ]
  const view = new EditorView({ state: EditorState.create({ doc: text, extensions }), parent: root, root })
  return {
    setText: (next) => {
      const index = reported.indexOf(next)
      reported = index === -1 ? [] : reported.slice(index + 1)
      if (index === -1) replaceText(view, next)
    },
    setReadOnly: (isOn) => view.dispatch({ effects: access.reconfigure(readOnly(isOn)) }),
    setProblems: (problems) =>
      view.dispatch(setDiagnostics(view.state, toDiagnostics(problems, view.state.doc.length))),
    select: (from) => {
      view.dispatch({ selection: { anchor: Math.min(from, view.state.doc.length) }, scrollIntoView: true })
      view.focus()
    },
    close: () => view.destroy(),
  }
}

// Only the part that differs, so that cursor, folding and history stay.
function replaceText(view: EditorView, next: string): void {
  const now = view.state.doc.toString()
  if (now === next) return
  let from = 0
  while (from < now.length && from < next.length && now[from] === next[from]) from += 1
  let end = 0
  const most = Math.min(now.length, next.length) - from
  while (end < most && now.at(-1 - end) === next.at(-1 - end)) end += 1
  const insert = next.slice(from, next.length - end)
  view.dispatch({ changes: { from, to: now.length - end, insert }, userEvent: 'set' })
}

function toDiagnostics(problems: readonly PlacedProblem[], length: number) {
  return problems.map(({ from, to, message }) => ({
    from: Math.min(from, length),
    to: Math.min(Math.max(to, from), length),
    severity: 'error' as const,
    message,
  }))
}
