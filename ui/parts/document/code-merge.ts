import { Chunk, MergeView, unifiedMergeView } from '@codemirror/merge'
import { EditorState } from '@codemirror/state'
import type { Extension } from '@codemirror/state'
import { EditorView, keymap } from '@codemirror/view'
import { documentText } from '../../text/documents.ts'
import { shadowOf, shownCode } from './code-editor.ts'
import { mergeTheme } from './code-theme.ts'

/** Two documents that are compared. */
export interface ComparedTexts {
  readonly before: string
  readonly after: string
  /** Names of both, for screen readers. */
  readonly labels: readonly [string, string]
}

/** Lines that are only in one of two documents. */
export interface LineCounts {
  readonly added: number
  readonly removed: number
}

// A comparison of two texts of a megabyte stays below a second.
const diffConfig = { scanLimit: 1000, timeout: 500 }
const collapseUnchanged = { margin: 3, minSize: 8 }

/** Shows two documents beside each other, or in one column where there is no room. Returns the function that ends it. */
export function startMerge(host: HTMLElement, { before, after, labels }: ComparedTexts, isNarrow: boolean): () => void {
  const root = shadowOf(host)
  const shown = (label: string): Extension => [
    shownCode,
    mergeTheme,
    EditorState.readOnly.of(true),
    EditorView.editable.of(false),
    EditorState.phrases.of({ '$ unchanged lines': documentText.diff.unchanged }),
    keymap.of([{ key: 'Enter', run: unfold }]),
    EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
  ]
  if (isNarrow) {
    const one = unifiedMergeView({ original: before, mergeControls: false, diffConfig, collapseUnchanged })
    const state = EditorState.create({ doc: after, extensions: [shown(labels[1]), one] })
    const view = new EditorView({ state, parent: root, root })
    return () => view.destroy()
  }
  const view = new MergeView({
    a: { doc: before, extensions: shown(labels[0]) },
    b: { doc: after, extensions: shown(labels[1]) },
    parent: root,
    root,
    diffConfig,
    collapseUnchanged,
  })
  return () => view.destroy()
}

// The merge view has a click for it, and no key.
function unfold({ dom }: EditorView): boolean {
  const folded = dom.querySelectorAll<HTMLElement>('.cm-collapsedLines')
  for (const one of folded) if (one.isConnected) one.click()
  return folded.length > 0
}

/** How many lines differ. */
export function countLines(before: string, after: string): LineCounts {
  const [a, b] = [before, after].map((text) => EditorState.create({ doc: text }).doc)
  if (a === undefined || b === undefined) return { added: 0, removed: 0 }
  const lines = (doc: typeof a, from: number, to: number): number =>
    from === to ? 0 : doc.lineAt(Math.min(to - 1, doc.length)).number - doc.lineAt(from).number + 1
  const chunks = Chunk.build(a, b, diffConfig)
  return {
    added: chunks.reduce((sum, { fromB, toB }) => sum + lines(b, fromB, toB), 0),
    removed: chunks.reduce((sum, { fromA, toA }) => sum + lines(a, fromA, toA), 0),
  }
}
