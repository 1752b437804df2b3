import assert from 'node:assert/strict'
import test from 'node:test'
import { ApiProblem } from '#ui/api/api-problem.ts'
import { refusalAt } from '#ui/parts/form/refusal-at.ts'
import { toPublishBody } from '../../plugins/agents/console/detail/dialogs/to-publish-body.ts'
import { createLineSplitter, parseLogLine } from '../../plugins/agents/console/detail/logs/log-lines.ts'
import { agentAddress, healthOf, servedRevisionOf, successOf } from '../../plugins/agents/console/shared/shown-agent.ts'
import type { ShownAgent } from '../../plugins/agents/console/shared/shown-agent.ts'

type Given = readonly (readonly [string, 'True' | 'False' | 'Unknown', string])[]

function agentWith(conditions: Given | undefined, more: object = {}): ShownAgent {
  const lastTransitionTime = '2026-11-24T08:00:00Z'
  const shown = conditions?.map(([type, status, reason]) => ({ type, status, reason, message: '', lastTransitionTime }))
  const status = { ...(shown === undefined ? {} : { conditions: shown }), ...more }
  return { metadata: { name: 'a', namespace: 'b' }, spec: {}, status } as unknown as ShownAgent
}

test('the state of an agent follows from its conditions, the worst first', () => {
  const states = (given: Given | undefined, more?: object) => {
    const { state, reason } = healthOf(agentWith(given, more))
    return `${state} ${reason ?? ''}`.trim()
  }
  assert.equal(states([['Ready', 'True', 'Serving']], { replicas: 1 }), 'ready')
  assert.equal(states([['Ready', 'True', 'ScaledToZero']], { replicas: 0 }), 'idle ScaledToZero')
  assert.equal(states([['Ready', 'False', 'Progressing']]), 'progressing Progressing')
  assert.equal(
    states([
      ['Ready', 'True', 'Serving'],
      ['Degraded', 'True', 'OOMKilled'],
    ]),
    'degraded OOMKilled',
  )
  assert.equal(
    states([
      ['Ready', 'True', 'Serving'],
      ['EvalGated', 'True', 'Held'],
    ]),
    'gated Held',
  )
  assert.equal(states([['Accepted', 'False', 'Frozen']]), 'unknown Frozen')
  assert.equal(states(undefined), 'unknown')
})

test('an object without spec and status, and one that is being deleted, are rows like others', () => {
  const bare = { metadata: { name: 'a' } } as unknown as ShownAgent
  assert.deepEqual(
    [healthOf(bare).state, servedRevisionOf(bare), successOf(bare.stats)],
    ['unknown', undefined, undefined],
  )
  const leaving = { metadata: { name: 'a', deletionTimestamp: '2026-11-24T08:00:00Z' } } as unknown as ShownAgent
  assert.equal(healthOf(leaving).state, 'Deleting')
  assert.equal(servedRevisionOf(agentWith([], { servingRevisions: [14, 12] })), 'r14')
})

test('a name in an address cannot leave its segment', () => {
  assert.equal(agentAddress({ namespace: 'a', name: '../x?y#z' }), '/agents/a/..%2Fx%3Fy%23z')
})

test('lines of a log: those of the platform by time and level, all others as they are', () => {
  const line = '{"time":"2026-11-24T08:00:00Z","level":"WARN","msg":"slow","port":3}'
  assert.deepEqual(parseLogLine(line, '1'), {
    id: '1',
    at: '2026-11-24T08:00:00Z',
    level: 'warn',
    words: 'slow {"port":3}',
  })
  for (const odd of ['plain <b>', '{"broken"', '[1]', '{"level":"__proto__","msg":7}'])
    assert.deepEqual(parseLogLine(odd, '1'), { id: '1', at: null, level: 'info', words: odd })
  assert.equal(parseLogLine('x'.repeat(1_000_000), '1').words.length, 20_001)
})

test('a line that comes in two chunks is one line', () => {
  const split = createLineSplitter()
  assert.deepEqual([split('a\nb'), split('c\n\nd'), split('\n')], [['a'], ['bc'], ['d']])
})

test('a template is published with what was typed, each tag once', () => {
  assert.deepEqual(toPublishBody({ title: 'T', description: '', tags: ' , ' }), { title: 'T' })
  assert.deepEqual(toPublishBody({ title: 'T', description: 'D', tags: 'a, b,a' }), {
    title: 'T',
    description: 'D',
    tags: ['a', 'b'],
  })
})

test('a refused field shows its own part of the problem', () => {
  const problem = new ApiProblem({
    status: 400,
    title: 'No',
    detail: 'no',
    errors: [{ pointer: '/name', detail: 'must be a name' }],
  })
  assert.deepEqual(
    [
      refusalAt(problem, '/name'),
      refusalAt(problem, '/title'),
      refusalAt(new Error('x'), '/name'),
      refusalAt(null, '/name'),
    ],
    ['must be a name', undefined, undefined, undefined],
  )
})
