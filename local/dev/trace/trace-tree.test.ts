import assert from 'node:assert/strict'
import test from 'node:test'
import { drawTraceTree } from './trace-tree.ts'
import type { TracedRun } from './trace-tree.ts'

const node = (name: string, more: object = {}) =>
  ({
    kind: 'tool',
    name,
    status: 'ok',
    durationMs: 5,
    usage: null,
    cost: null,
    error: null,
    children: [],
    ...more,
  }) as never

function traced(children: readonly unknown[], run: object = {}): TracedRun {
  const usage = { inputTokens: 1, outputTokens: 2 }
  const known = { id: 'r', state: 'succeeded', durationMs: 1_500, usage, cost: null, treeCost: null }
  return {
    run: { ...known, error: null, pauseReason: null, ...run },
    tree: { root: node('run', { children }) },
  } as never
}

test('a tree has a line for each span, with its state, duration, tokens, cost and error', () => {
  const usage = { inputTokens: 3, outputTokens: 4 }
  const cost = { amount: '0.01', currency: 'USD' }
  const model = node('mock', { kind: 'model', usage, cost })
  const failed = node('find', { status: 'error', error: { code: 'tool_error', message: 'timed out' } })
  const tree = traced([node('step 1', { kind: 'step', children: [model, failed] })], { output: { a: 1 } })
  assert.equal(
    drawTraceTree(tree),
    `succeeded  1.5 s  1+2 tokens  r
└─ step 1  5 ms
   ├─ model mock  5 ms  3+4 tokens  0.01 USD
   └─ tool find  error  5 ms
      tool_error timed out
→ {"a":1}
`,
  )
})

test('names and outputs cannot act on a terminal, and no line is wider than it', () => {
  const hostile = traced([node('\u001b[31m\u202e\r\nred'.repeat(30))], { output: 'x\u0007\n'.repeat(50) })
  for (const width of [1, 20, 80, 200]) {
    const lines = drawTraceTree(hostile, width).split('\n')
    assert.equal(lines.length, 4)
    for (const line of lines) {
      assert.ok([...line].length <= Math.max(width, 16), line)
      // oxlint-disable-next-line no-control-regex
      assert.doesNotMatch(line, /[\u0000-\u001f\u202e]/)
    }
  }
  const many = traced(Array.from({ length: 1_000 }, () => node('x')))
  assert.match(drawTraceTree(many), /… 800 more\n$/)
})
