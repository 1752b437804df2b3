import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

const rule = '1px solid var(--line)'

// Custom properties pass into the shadow root, so that both schemes need one theme.
const looks = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'transparent', fontSize: '12.5px', height: '100%' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '19px', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--text)', padding: '8px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--text-3)', border: 'none' },
  '.cm-activeLine': { backgroundColor: 'transparent' },
  '&.cm-focused .cm-activeLine': { backgroundColor: 'var(--hover)' },
  '.cm-activeLineGutter': { backgroundColor: 'transparent', color: 'var(--text)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground, .cm-content ::selection': {
    backgroundColor: 'var(--accent-bg) !important',
  },
  '.cm-searchMatch': { backgroundColor: 'var(--warn-bg)' },
  '.cm-panels': { backgroundColor: 'var(--sunken)', color: 'var(--text)', borderTop: rule },
  '.cm-panel input, .cm-panel button': {
    font: 'inherit',
    color: 'var(--text)',
    background: 'var(--surface)',
    border: '1px solid var(--line-2)',
    borderRadius: '4px',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--raised)',
    color: 'var(--text)',
    border: 'none',
    boxShadow: 'var(--overlay)',
  },
  '.cm-lintRange-error': { backgroundImage: 'none', borderBottom: '2px dotted var(--bad-fill)' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--bad-fill)' },
  '.cm-lint-marker-error': { content: 'normal', color: 'var(--bad)', fontWeight: '600', textAlign: 'center' },
  '.cm-lint-marker-error::before': { content: '"!"' },
  '.cm-lint-marker': { width: '10px', height: '19px' },
})

// More specific than the colours of the merge view, which do not know the scheme.
const mergeLooks = EditorView.theme({
  '&.cm-merge-a .cm-changedLine, & .cm-deletedChunk': { backgroundColor: 'var(--bad-bg) !important' },
  '&.cm-merge-b .cm-changedLine, & .cm-insertedLine': { backgroundColor: 'var(--ok-bg) !important' },
  '&.cm-merge-a .cm-changedText, & .cm-deletedChunk .cm-deletedText': {
    background: 'none',
    boxShadow: 'inset 0 -2px 0 var(--bad-fill)',
  },
  '&.cm-merge-b .cm-changedText, & .cm-changedText': { background: 'none', boxShadow: 'inset 0 -2px 0 var(--ok-fill)' },
  '&.cm-merge-a .cm-changedLineGutter, & .cm-deletedLineGutter': { background: 'var(--bad-fill) !important' },
  '&.cm-merge-b .cm-changedLineGutter, & .cm-changedLineGutter': { background: 'var(--ok-fill) !important' },
  '& .cm-collapsedLines': { background: 'var(--sunken) !important', color: 'var(--text-2) !important' },
  // The font has no glyph of the sign that the merge view uses.
  '& .cm-collapsedLines:before, & .cm-collapsedLines:after': { content: '"…" !important' },
  // Without a caret, and without the line of one.
  '&:has(.cm-content:focus-visible)': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '& .cm-mergeSpacer': { backgroundColor: 'transparent' },
})

const colours = HighlightStyle.define([
  { tag: [tags.definition(tags.propertyName), tags.propertyName], color: 'var(--accent-text)' },
  { tag: [tags.comment, tags.lineComment], color: 'var(--text-3)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--ok)' },
  { tag: [tags.keyword, tags.typeName, tags.labelName, tags.meta], color: 'var(--wait)' },
])

/** How YAML looks in an editor, in both schemes. */
export const codeTheme: Extension = [looks, syntaxHighlighting(colours)]

/** The same for two documents beside each other: red left, green right. */
export const mergeTheme: Extension = [mergeLooks]
