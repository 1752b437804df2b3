import assert from 'node:assert/strict'
import test from 'node:test'
import { conceal } from '#core/log/secrets.ts'
import type { EventType } from '#core/event-store/event.ts'
import { createStore } from '#core/event-store/create-store.ts'
import { migrate } from '#core/database/migrate.ts'
import { openMemoryStore } from '#core/database/testing/memory-store.ts'
import { readAfter } from '#core/event-store/read-events.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import { runCreated, runFailed } from '#plugins/runs/contract/events.ts'
import { createTerminal, terminalPlugin } from './failure-lines.ts'

test('UXM18: a crash and a failed run are one line, bounded, without control characters, at most one in 30 s', async (t) => {
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
  const database = await openMemoryStore()
  t.after(() => database.close())
  await migrate(database, [storeMigrations])
  const store = createStore(database, { projections: [], validate: false })
  const append = (runId: string, type: EventType, data: object) =>
    store.transact((tx) =>
      tx.append(`runs/${runId}`, 'any', [
        { type, subject: { namespace: 'demo', kind: 'Run', name: runId }, data: { runId, ...data } },
      ]),
    )
  await append('r-1', runCreated, { agent: { name: 'py' } })
  await append('r-1', runFailed, { failReason: 'agent_error' })
  await append('r-2', runFailed, { failReason: 'lost_worker' })
  const [consumer] = terminalPlugin(terminal).consumers?.({}, { role: 'worker' } as never) ?? []
  assert.deepEqual(consumer?.types, [runFailed.type])
  const [, ...failed] = await readAfter(database.db, 0n, 10)
  await store.transact(async (tx) => consumer?.handle(failed, tx))
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
