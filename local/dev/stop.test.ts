import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import test from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { startDevCommand } from './testing/run-dev-command.ts'

const files = { 'agent.yaml': 'name: bot\nmodel: { route: mock }\n' }

// timeout(1) sends SIGTERM to the process and then to its group; a terminal that closes sends SIGHUP.
for (const [signals, code] of [
  [['SIGTERM', 'SIGTERM'], 143],
  [['SIGHUP'], 129],
] as const)
  test(`dev removes its data at ${signals.join(' and ')}`, async (t) => {
    const dev = startDevCommand(t, files)
    await dev.says(/Ctrl-C stops it/)
    for (const signal of signals) {
      dev.child.kill(signal)
      await pause(20)
    }
    assert.equal(await dev.ended(), code, dev.err())
    assert.deepEqual(readdirSync(dev.temporary), [])
  })
