import assert from 'node:assert/strict'
import test from 'node:test'
import { findItems, pastedPath } from '../../ui/app/palette/palette-groups.ts'
import type { PaletteItem } from '../../ui/app/palette/palette-groups.ts'
import { readFolded } from '../../ui/app/shell/folding.ts'
import { matchKeys } from '../../ui/parts/keys/match-keys.ts'
import type { KeyBinding, KeyPress } from '../../ui/parts/keys/match-keys.ts'
import { placeBeside } from '../../ui/parts/overlay/place.ts'

const item = (title: string, note = ''): PaletteItem => ({ id: title, title, note, icon: 'agent' })
const titlesOf = (typed: string): readonly string[] => {
  const groups = [
    { title: 'Agents', items: [item('refund-agent', 'support'), item('agent-two', 'finance')] },
    { title: 'Pages', items: [item('Feedback')] },
  ]
  return findItems(groups, typed).map(({ title, items }) => `${title}: ${items.map((one) => one.title).join(' ')}`)
}

test('the palette finds what has all the words, and first what begins with them', () => {
  assert.deepEqual(titlesOf('agent'), ['Agents: agent-two refund-agent'])
  assert.deepEqual(titlesOf('AGENT support'), ['Agents: refund-agent'])
  assert.deepEqual(titlesOf('  '), ['Agents: refund-agent agent-two', 'Pages: Feedback'])
  assert.deepEqual(titlesOf('<img>'), [])
})

test('a pasted id opens its run, an address of this server its page, and another one nothing', () => {
  const origin = 'https://mesh.example'
  assert.equal(
    pastedPath(' 0193C5E1-77aa-7000-8000-000000000001 ', origin),
    '/runs/0193c5e1-77aa-7000-8000-000000000001',
  )
  assert.equal(pastedPath('https://mesh.example/runs?state=failed', origin), '/runs?state=failed')
  for (const other of ['https://mesh.example.evil/runs', 'javascript:alert(1)', '//evil/', 'runs', ''])
    assert.equal(pastedPath(other, origin), undefined)
})

const bindings: readonly KeyBinding[] = ['g h', '/', 'Escape', 'Escape', 'Ctrl+k'].map((keys, index) => ({
  keys,
  label: String(index),
  run: () => undefined,
}))
const press = (key: string, changes: Partial<KeyPress> = {}): KeyPress => ({
  key,
  hasControl: false,
  hasAlt: false,
  isInField: false,
  ...changes,
})

/** Label of the binding that acts, and the pending keys. */
function labelOf(given: KeyPress, pending = '', areLettersOn = true): readonly (string | undefined)[] {
  const found = matchKeys(bindings, given, { pending, areLettersOn })
  return [found.binding?.label, found.pending]
}

test('keys act alone or after each other; of two bindings the later one', () => {
  assert.deepEqual(labelOf(press('g')), [undefined, 'g'])
  assert.deepEqual(labelOf(press('h'), 'g'), ['0', ''])
  assert.deepEqual(labelOf(press('/'), 'g'), ['1', ''])
  assert.deepEqual(labelOf(press('q'), 'g'), [undefined, ''])
  assert.deepEqual(labelOf(press('Escape')), ['3', ''])
  assert.deepEqual(labelOf(press('K', { hasControl: true })), ['4', ''])
  assert.deepEqual(labelOf(press('/', { hasAlt: true })), [undefined, ''])
})

test('letters act in no field, and not at all when they are off; other keys do', () => {
  assert.deepEqual(labelOf(press('/', { isInField: true })), [undefined, ''])
  assert.deepEqual(labelOf(press('/'), '', false), [undefined, ''])
  assert.deepEqual(labelOf(press('Escape', { isInField: true }), '', false), ['3', ''])
  assert.deepEqual(labelOf(press('k', { hasControl: true, isInField: true }), '', false), ['4', ''])
})

test('what is stored as folded sections is read, and anything else passed over', () => {
  assert.deepEqual([...readFolded('["Build"]')], ['Build'])
  assert.deepEqual([...readFolded('[]')], [])
  assert.deepEqual([...readFolded('[1,{},"Run"]')], ['Run'])
  for (const other of [null, '{', '{"a":1}', '"Build"', '7'])
    assert.deepEqual([...readFolded(other)], ['Quality', 'Connect', 'Platform'])
})

test('an overlay stands in the window: below its button, or above it where there is more space', () => {
  const view = { width: 400, height: 300 }
  const size = { width: 200, height: 100 }
  const button = { left: 10, top: 10, width: 50, height: 20 }
  assert.deepEqual(placeBeside(button, size, view, 'start'), { left: 10, top: 34, maxHeight: 260 })
  assert.deepEqual(placeBeside({ ...button, top: 270 }, size, view, 'start'), { left: 10, top: 166, maxHeight: 260 })
  assert.deepEqual(placeBeside({ ...button, left: 380 }, size, view, 'start').left, 194)
  assert.deepEqual(placeBeside(button, size, view, 'end').left, 6)
  assert.deepEqual(placeBeside(button, { width: 200, height: 900 }, view, 'start').maxHeight, 260)
})
