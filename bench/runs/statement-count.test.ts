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
  counter.add(message('Q', 'begin read write; select\n  1;'))
  const prepared = Buffer.concat([message('P', 'one', 'select $1'), message('B', '', 'one'), message('E', '')])
  counter.add(Buffer.concat([Buffer.from('before'), prepared]).subarray(6))
  const before = counter.counts()
  assert.deepEqual(before, { 'begin read write': 1, 'select 1': 1, 'select $1': 1 })
  for (const text of ['B', 'B']) counter.add(Buffer.concat([message(text, '', 'one'), message('E', '')]))
  counter.add(message('P', 'unused', 'select 2'))
  const since = countsSince(before, counter.counts())
  assert.deepEqual(since, { 'select $1': 2 })
  assert.deepEqual([statementsIn(before), transactionsIn(before), transactionsIn(since)], [3, 1, 0])
})
