import assert from 'node:assert/strict'
import test from 'node:test'
import { conceal } from '#core/log/secrets.ts'
import { createTerminal, terminalPlugin } from './failure-lines.ts'

test('UXM18: a crash and a failed run are one line, bounded, without control characters, at most one in 30 s', async () => {
  const lines: string[] = []
  let now = 0
  const terminal = createTerminal(
    (line) => lines.push(line),
    () => now,
  )
  conceal('a-secret-of-the-process')
  const crash = { namespace: 'demo', name: 'py', exitCode: 127 }
  terminal.crashed({
    ...crash,
    lastLine: `\u001b[2J pyhton3: not found\r a-secret-of-the-process ${'x'.repeat(1 << 20)}`,
  })
  terminal.crashed({ ...crash, name: 'other', lastLine: undefined })
  for (let times = 0; times < 5; times++) terminal.crashed(crash)
  now = 30_000
  terminal.crashed({ ...crash, lastLine: '{"level":"error","msg":"again"}' })
  const [consumer] = terminalPlugin(terminal).consumers?.({ agents: new Map() }, { role: 'worker' } as never) ?? []
  const event = (type: string, data: object) => ({ type, data, subject: { namespace: 'demo' } })
  const events = [
    event('dev.mesh.runs.created.v1', { runId: 'r-1', agent: { name: 'py' } }),
    event('dev.mesh.runs.failed.v1', { runId: 'r-1', failReason: 'agent_error' }),
    event('dev.mesh.runs.failed.v1', { runId: 'r-2', failReason: 'lost_worker' }),
  ]
  assert.deepEqual(consumer?.types, [events[0]?.type, events[1]?.type])
  await consumer?.handle(events as never, undefined as never)
  assert.ok(
    lines.every((line) => line.length < 300 && !/\p{Cc}|a-secret/u.test(line)),
    lines.join('\n'),
  )
  assert.match(lines[0] ?? '', /^agent demo\/py exited with code 127: \[2J pyhton3: not found /)
  assert.deepEqual(lines.slice(1), [
    'agent demo/other exited with code 127; its log is empty',
    'agent demo/py exited with code 127: again (5 more like it since the last line)',
    'run r-1 of agent demo/py failed: agent_error',
    'run r-2 of agent (unknown) in demo failed: lost_worker',
  ])
})
