import assert from 'node:assert/strict'
import test from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createJournal } from './journal.ts'

test('PODS6: the memory counted for a message of many small deltas is at least the heap that it takes', () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const journal = createJournal([], () => new Date())
  journal.append('message.started', { messageId: 'm', role: 'assistant' }, 'span')
  collect()
  const [heap, counted] = [process.memoryUsage().heapUsed, journal.bytes]
  for (let n = 0; n < 200_000; n++) journal.delta('m', 'abcdefgh'.charAt(n % 8), 'span')
  collect()
  const taken = process.memoryUsage().heapUsed - heap
  assert.ok(taken > 1_000_000, `200,000 deltas take ${taken} bytes`)
  assert.ok(journal.bytes - counted >= taken, `${journal.bytes - counted} bytes counted, ${taken} taken`)
})

test('PODS6: the size of a journal counts small entries and single letters by their memory', () => {
  const entries = createJournal(['robot'], () => new Date())
  for (let count = 0; count < 1000; count++) entries.append('step.started', {}, 'span')
  assert.ok(entries.bytes > 1000 * 300, `${entries.bytes} bytes`)
  const letters = createJournal(['robot'], () => new Date())
  letters.append('message.started', { messageId: 'm' }, 'span')
  for (let count = 0; count < 1000; count++) letters.delta('m', 'x', 'span')
  assert.ok(letters.bytes > 1000 * 90, `${letters.bytes} bytes`)
  letters.append('message.finished', { messageId: 'm', text: '' }, 'span')
  assert.ok(letters.bytes < 2000, 'a finished message is counted by its entry')
})
