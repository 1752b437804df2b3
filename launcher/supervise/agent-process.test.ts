import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { until } from '../testdata/launch.ts'
import { startAgentProcess } from './agent-process.ts'

const options = { skip: process.platform === 'linux' ? (false as const) : 'reads /proc' }
// Keeps starting processes that leave their group and parent immediately; bounded, in case it is not killed.
const scatter =
  'for i in $(seq 400); do setsid sh -c "trap \'\' TERM; (sleep 60 &) ; (sleep 60 &)" & sleep 0.005; done; wait'

function marked(mark: string): number[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry) && hasMark(entry, mark))
    .map(Number)
}

function hasMark(pid: string, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(mark)
  } catch {
    return false
  }
}

test('P4: no process that the agent started outlives it, at whatever moment it forks', options, async (t) => {
  for (const ms of [5, 40, 80, 120, 160, 200]) {
    const mark = randomUUID()
    const agent = startAgentProcess({
      command: ['/bin/sh', '-c', scatter],
      env: { PATH: process.env.PATH ?? '', MARK: mark },
    })
    await new Promise((resolve) => setTimeout(resolve, ms))
    await agent.end(1000)
    const left = marked(mark)
    for (const pid of left) process.kill(pid, 'SIGKILL') // this test leaves nothing either
    t.diagnostic(`after ${ms} ms: ${left.length} left`)
    assert.deepEqual(left, [])
  }
})

test('P4: kill -9 at any instant of the start of an agent leaves no process', options, async (t) => {
  const script = fileURLToPath(import.meta.resolve('../testdata/agent-starter.ts'))
  for (let round = 0; round < 6; round++) {
    const mark = randomUUID()
    const starter = spawn(process.execPath, [script], {
      env: { PATH: process.env.PATH, MARK: mark },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const exited = once(starter, 'exit')
    await once(starter.stdout, 'data')
    // It starts an agent each few milliseconds: whichever is under way now, its guard has not heard of it or just has.
    await new Promise((resolve) => setTimeout(resolve, 50 + round * 7))
    starter.kill('SIGKILL')
    await exited
    t.after(() => marked(mark).forEach((pid) => process.kill(pid, 'SIGKILL')))
    let most = 0
    await until(() => {
      const left = marked(mark)
      most = Math.max(most, left.length)
      return left.length === 0
    }, 'everything has ended')
    t.diagnostic(`${most} processes were left at first`)
  }
})
