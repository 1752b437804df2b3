import assert from 'node:assert/strict'
import test from 'node:test'
import { createProgress } from './progress.ts'

function collect(isTerminal: boolean, width?: number) {
  const written: string[] = []
  return { written, show: createProgress({ err: (text) => written.push(text), isTerminal, width }) }
}

test('a line of progress replaces the one before, within the width, and goes at the end', () => {
  const { written, show } = collect(true, 12)
  show('')
  show('waiting for the candidate')
  show('Running')
  show('')
  show('')
  assert.deepEqual(written, ['\r\u001b[2K⠋ waiting f', '\r\u001b[2K⠙ Running', '\r\u001b[2K'])
})

test('without a terminal nothing is written', () => {
  const { written, show } = collect(false)
  show('Running')
  show('')
  assert.deepEqual(written, [])
})
