import assert from 'node:assert/strict'
import { openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import type { Logger } from '#core/log/logger.ts'
import { freePort } from '#test/harness/free-port.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { superviseProcess } from './supervisor.ts'

/** A logger whose lines are waited for. */
function watchedLog() {
  const lines: string[] = []
  const waiting: { readonly pattern: RegExp; found(line: string): void }[] = []
  const write = (_fields: object, message: string): void => {
    lines.push(message)
    for (const one of waiting) if (one.pattern.test(message)) one.found(message)
  }
  const log: Logger = { debug: write, info: write, warn: write, error: write, child: () => log }
  const line = (pattern: RegExp) => new Promise<string>((found) => waiting.push({ pattern, found }))
  return { log, lines, line }
}

const env = { PATH: process.env['PATH'] ?? '' }

test('UXH7: a program that cannot be started is named, and no start is logged', async () => {
  const { log, lines } = watchedLog()
  const supervisor = superviseProcess({ command: ['pyhton3', 'agent.py'], env }, await freePort(), log)
  assert.equal(await supervisor.crashed, 127)
  await supervisor.end(0)
  assert.deepEqual(lines, ['program pyhton3 not found'])
  const other = watchedLog()
  const folder = superviseProcess({ command: ['/'], env }, await freePort(), other.log)
  assert.equal(await folder.crashed, 126)
  await folder.end(0)
  assert.deepEqual(other.lines, ['program / cannot be executed'])
})

test('UXH8: an agent that does not answer is logged with its port', async () => {
  const { log, line } = watchedLog()
  const port = await freePort()
  const late = line(/does not respond/)
  const supervisor = superviseProcess({ command: ['sleep', '60'], env }, port, log, 20)
  assert.equal(await late, `the agent does not respond on AGENT_PORT=${port}`)
  await supervisor.end(0)
})

test('R2-UX-12: the log of the agent says why it does not start, answer or stay', async (t) => {
  const folder = tempFolder('agent-output')
  t.after(folder.remove)
  const path = join(folder.path, 'agent.log')
  const outputFd = openSync(path, 'a')
  const written = () => readFileSync(path, 'utf8').split('\n').slice(0, -1)
  const missing = superviseProcess({ command: ['pyhton3'], env, outputFd }, await freePort(), watchedLog().log)
  await missing.crashed
  await missing.end(0)
  assert.deepEqual(written(), ['mesh launcher: program pyhton3 not found'])
  const script = 'echo its own words; exit 3'
  const failing = superviseProcess({ command: ['sh', '-c', script], env, outputFd }, await freePort(), watchedLog().log)
  await failing.crashed
  await failing.end(0)
  assert.deepEqual(written().slice(1), ['its own words', 'mesh launcher: the agent ended with exit code 3'])
  const { log, line } = watchedLog()
  const [port, late] = [await freePort(), line(/does not respond/)]
  const silent = superviseProcess({ command: ['sleep', '60'], env, outputFd }, port, log, 20)
  await late
  await silent.end(0)
  assert.deepEqual(written().slice(3), [`mesh launcher: the agent does not respond on AGENT_PORT=${port}`])
})
