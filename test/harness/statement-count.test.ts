import assert from 'node:assert/strict'
import test from 'node:test'
import { countsSince, createStatementCounter, statementsIn, transactionsIn } from './statement-count.ts'

const message = (code: string, ...strings: readonly string[]): Buffer => {
  const body = Buffer.from(strings.map((one) => `${one}\0`).join(''))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(body.length + 4)
  return Buffer.concat([Buffer.from(code), length, body])
}

test('statements of both protocols are counted by text when they are executed', () => {
  const counter = createStatementCounter()
  const send = counter.connection()
  send(message('Q', `begin read write; select\n  'it''s; one';`))
  send(Buffer.concat([message('P', 'one', 'select $1'), message('B', '', 'one'), message('E', '')]))
  const before = counter.counts()
  assert.deepEqual(before, { 'begin read write': 1, 'select ?': 1, 'select $1': 1 })
  send(Buffer.concat([message('B', '', 'one'), message('E', ''), message('B', '', 'one'), message('E', '')]))
  send(message('Q', 'commit'))
  send(message('P', 'unused', 'select 2'))
  const since = countsSince(before, counter.counts())
  assert.deepEqual(since, { 'select $1': 2, commit: 1 })
  assert.deepEqual([statementsIn(before), transactionsIn(before), transactionsIn(since)], [3, 0, 1])
})

test('an execution is counted by the statement of its portal', () => {
  const counter = createStatementCounter()
  const send = counter.connection()
  send(Buffer.concat([message('P', 'one', 'select 1'), message('P', 'two', 'select 2')]))
  send(Buffer.concat([message('B', 'a', 'one'), message('B', 'b', 'two'), message('E', 'a'), message('E', 'b')]))
  assert.deepEqual(counter.counts(), { 'select 1': 1, 'select 2': 1 })
})

test('messages in pieces are counted once, per connection, with a startup message anywhere', () => {
  const counter = createStatementCounter()
  const startup = message('', 'user\0mesh')
  const bytes = Buffer.concat([startup, message('P', '', 'select 1'), message('B', '', ''), message('E', ''), startup])
  for (const size of [1, 7, bytes.length]) {
    const send = counter.connection()
    for (let at = 0; at < bytes.length; at += size) send(bytes.subarray(at, at + size))
  }
  counter.connection()(message('E', ''))
  assert.deepEqual(counter.counts(), { 'select 1': 3, '': 1 })
})

test('statements are grouped by the transactions of their connection', () => {
  const counter = createStatementCounter()
  const [one, two] = [counter.connection(), counter.connection()]
  one(message('Q', 'begin read write; select 1'))
  two(message('Q', 'select 2'))
  one(message('Q', 'commit; select 3'))
  two(message('Q', 'begin; select 4; rollback; select 2'))
  two(message('Q', 'begin; select 5'))
  assert.deepEqual(counter.transactions(), {
    'select 2': 2,
    'begin read write\nselect 1\ncommit': 1,
    'select 3': 1,
    'begin\nselect 4\nrollback': 1,
  })
})
