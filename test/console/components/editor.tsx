import assert from 'node:assert/strict'
import test from 'node:test'
import { EditorView } from '@codemirror/view'
import { startEditor } from '#ui/parts/document/code-editor.ts'

test('a page that is a letter behind takes none back, and its own text is shown', () => {
  const host = document.body.appendChild(document.createElement('div'))
  const reported: string[] = []
  const editor = startEditor(host, {
    text: '',
    label: 'Document',
    isReadOnly: false,
    onChange: (text) => void reported.push(text),
    onSave: () => undefined,
  })
  const view = EditorView.findFromDOM(host.shadowRoot?.querySelector<HTMLElement>('.cm-editor') ?? host)
  assert.ok(view)
  const type = (letter: string): void => {
    const { head } = view.state.selection.main
    const changes = { from: head, insert: letter }
    view.dispatch({ changes, selection: { anchor: head + 1 }, userEvent: 'input.type' })
  }
  const shown = (): string => `${view.state.sliceDoc(0, view.state.selection.main.head)}|`
  type('a')
  type('b')
  editor.setText('a')
  assert.equal(shown(), 'ab|')
  type('c')
  editor.setText('ab')
  editor.setText('abc')
  assert.deepEqual([shown(), reported], ['abc|', ['a', 'ab', 'abc']])
  editor.setText('a: 1')
  assert.equal(view.state.doc.toString(), 'a: 1')
  // Long rendered: this is a text of the page again.
  editor.setText('ab')
  assert.equal(view.state.doc.toString(), 'ab')
  editor.close()
  host.remove()
})
