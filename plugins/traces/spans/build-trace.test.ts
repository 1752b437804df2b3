import assert from 'node:assert/strict'
import test from 'node:test'
import type { TraceSpanNode } from '#schemas/api/traces.ts'
import { buildTrace } from './build-trace.ts'
import type { StoredSpan } from './stored-span.ts'
import { spanId } from '../testing/spans.ts'

const start = BigInt(Date.parse('2026-11-23T20:00:00Z')) * 1_000_000n

function stored(id: number, fields: Partial<StoredSpan> = {}): StoredSpan {
  const begin = start + BigInt(id) * 1_000_000n
  return {
    spanId: spanId(id),
    name: `${id}`,
    kind: 'internal',
    start: String(begin),
    end: String(begin + 2_500_000n),
    status: 'ok',
    attributes: {},
    ...fields,
  }
}

const below = (id: number, parent: number): StoredSpan => stored(id, { parentSpanId: spanId(parent) })
const chunkOf = (name: string, ...spans: readonly StoredSpan[]) => ({
  content: JSON.stringify(spans),
  namespace: 'default',
  agent_name: name,
  agent_uid: `uid of ${name}`,
})
const chunk = (...spans: readonly StoredSpan[]) => chunkOf('robot', ...spans)
const outline = ({ name, children }: TraceSpanNode): unknown[] => [name, ...children.map(outline)]

test('traces: spans are below their parents in the order of their start, across chunks', () => {
  const { spans, roots } = buildTrace([
    chunk(below(3, 1), below(2, 1)),
    chunk(below(4, 2), stored(1)),
    chunk(below(6, 99), stored(0)),
  ])
  assert.equal(spans, 6)
  assert.deepEqual(roots.map(outline), [['0'], ['1', ['2', ['4']], ['3']], ['6']])
  assert.deepEqual(
    [roots[1]?.startedAt, roots[1]?.durationMs, roots[2]?.parentSpanId],
    ['2026-11-23T20:00:00.001Z', 2.5, spanId(99)],
  )
})

test('traces: a repeated span counts once, as stored last', () => {
  const { spans, roots } = buildTrace([chunk(stored(1)), chunk({ ...stored(1), name: 'again' })])
  assert.deepEqual([spans, roots.map(outline)], [1, [['again']]])
})

test('traces: a called agent that uses the ids of its caller replaces no span of it, and takes none of its children', () => {
  const { spans, roots } = buildTrace([
    chunkOf('robot', stored(1), below(2, 1), below(3, 2)),
    chunkOf('helper', { ...below(2, 1), name: 'forged' }, below(4, 2), { ...stored(5), parentSpanId: spanId(3) }),
  ])
  assert.equal(spans, 6)
  assert.deepEqual(roots.map(outline), [['1', ['2', ['3', ['5']]], ['forged', ['4']]]])
  assert.deepEqual(
    roots[0]?.children.map(({ name, agent }) => [name, agent.name]),
    [
      ['2', 'robot'],
      ['forged', 'helper'],
    ],
  )
})

test('F6: spans in a circle, and a chain of 10,000, are each shown once at a bounded depth', () => {
  const circle = buildTrace([chunk(below(1, 2), below(2, 3), below(3, 1), below(4, 2))])
  assert.deepEqual(circle.roots.map(outline), [['1', ['3', ['2', ['4']]]]])
  const chain = buildTrace([
    chunk(...Array.from({ length: 10_000 }, (_, id) => (id === 0 ? stored(0) : below(id, id - 1)))),
  ])
  const text = JSON.stringify(chain.roots)
  assert.equal(text.split('"spanId"').length - 1, 10_000)
  let depth = 0
  for (let level = chain.roots; level.length > 0; level = level[0]?.children ?? []) depth++
  assert.equal(depth, 65)
})

test('F9: a span may have keys of the prototype, and events of any time', () => {
  const attributes = JSON.parse('{"__proto__":"a","constructor":"b"}') as StoredSpan['attributes']
  const events = [{ name: 'e', at: String(2n ** 64n - 1n), attributes }]
  const [root] = buildTrace([
    chunk(stored(1, { attributes, events, links: [], dropped: 2, scope: 's', service: 'v' })),
  ]).roots
  assert.deepEqual(Object.keys(root?.attributes ?? {}), ['__proto__', 'constructor'])
  assert.deepEqual([root?.events[0]?.at, root?.dropped], ['2554-07-21T23:34:33.709Z', 2])
})
