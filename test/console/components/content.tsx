import assert from 'node:assert/strict'
import test, { afterEach } from 'node:test'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { JsonView } from '#ui/parts/content/json-view.tsx'
import { MessageView } from '#ui/parts/content/message-view.tsx'
import { flattenTree } from '#ui/parts/trace/flat-tree.ts'
import type { TreeSpan } from '#ui/parts/trace/flat-tree.ts'
import { Waterfall } from '#ui/parts/trace/waterfall.tsx'

afterEach(cleanup)

test('a hostile message makes no element, and its link says the host', () => {
  const hostile = '<img src=x onerror=alert(1)> <script>alert(1)</script> [a](javascript:alert(1))'
  const links = '[bank](https://evil.example/x) ![p](https://evil.example/p.png)'
  render(<MessageView role="assistant" words={`${hostile} ${links}`} />)
  assert.equal(document.querySelectorAll('img, script').length, 0)
  const [bank, ...others] = [...document.querySelectorAll('a')]
  assert.deepEqual([bank?.textContent, bank?.rel], ['bank (evil.example)', 'noreferrer noopener'])
  assert.ok(others.every(({ protocol }) => protocol === 'https:'))
})

test('a message of a megabyte is folded with its size', () => {
  render(<MessageView role="user" words={'word '.repeat(200_000)} />)
  assert.ok(document.body.textContent.length < 30_000)
  assert.ok(screen.getByRole('button', { name: 'Show all 977 KB' }))
})

test('a level of JSON folds and opens', () => {
  render(<JsonView label="Arguments" value={{ a: { b: '<b>' } }} />)
  const fold = screen.getByRole('button', { name: 'a, 1 entry' })
  assert.equal(fold.getAttribute('aria-expanded'), 'true')
  fireEvent.click(fold)
  assert.doesNotMatch(document.body.textContent, /<b>/)
  fireEvent.click(screen.getByRole('button', { name: 'a, 1 entry' }))
  assert.match(document.body.textContent, /<b>/)
})

function span(name: string, startedAt: string, children: readonly TreeSpan[] = []): TreeSpan {
  const kind = children.length === 0 ? 'tool' : 'run'
  return { spanId: name, kind, name, startedAt, durationMs: kind === 'run' ? 320_000 : 555, status: 'error', children }
}

const spans = flattenTree(span('matcher', '2026-11-24T14:00:00Z', [span('ledger.search', '2026-11-24T14:05:19Z')]))

test('a waterfall is a treegrid with one tab stop, and says what a row is', () => {
  const selected: number[] = []
  render(<Waterfall spans={spans} selected={1} onSelect={(place) => selected.push(place)} />)
  const grid = screen.getByRole('treegrid')
  assert.equal(grid.getAttribute('aria-activedescendant'), 'span-1')
  const name = 'ledger.search, tool, failed, 555 milliseconds, at 5 minutes 19 seconds'
  assert.ok(screen.getByRole('row', { name, selected: true }))
  fireEvent.keyDown(grid, { key: 'k' })
  fireEvent.keyDown(grid, { key: 'e' })
  assert.deepEqual(selected, [0, 1])
  assert.equal(grid.querySelectorAll('[tabindex]').length, 0)
})

test('a fold of a waterfall hides what is below, and a press on it selects nothing', () => {
  const selected: number[] = []
  render(<Waterfall spans={spans} selected={0} onSelect={(place) => selected.push(place)} />)
  const fold = document.querySelector('[data-fold]') ?? assert.fail('no fold')
  fireEvent.click(fold)
  assert.equal(screen.getAllByRole('row').length, 1)
  assert.deepEqual(selected, [])
})
