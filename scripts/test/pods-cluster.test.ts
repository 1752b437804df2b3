import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { tempFolder } from '#test/harness/temp-folder.ts'

const runner = fileURLToPath(new URL('../../test/pods/run.ts', import.meta.url))
const root = { skip: process.getuid?.() === 0 ? (false as const) : 'a node needs root on Linux' }

/** Starts test:pods on a cluster folder that only notes its calls, with one test file that never ends. */
async function startRun(t: TestContext) {
  const { path, remove } = tempFolder('pods')
  t.after(remove)
  const log = join(path, 'log')
  for (const script of ['up.sh', 'down.sh']) {
    writeFileSync(join(path, script), `#!/bin/sh\necho "${script} $CLUSTER_NAME" >> '${log}'\n`)
    chmodSync(join(path, script), 0o755)
  }
  const file = join(path, 'endless.test.mjs')
  const body = `appendFileSync(${JSON.stringify(log)}, 'test\\n'); setInterval(() => {}, 1000); return new Promise(() => {})`
  writeFileSync(
    file,
    `import test from 'node:test'\nimport { appendFileSync } from 'node:fs'\ntest('x', () => { ${body} })\n`,
  )
  const env = { ...process.env, MESH_TEST_CLUSTER: path, MESH_TEST_CLUSTER_INDEX: '7', MESH_TEST_POSTGRES_URL: 'none' }
  const child = spawn(process.execPath, [runner, file], { stdio: 'ignore', env })
  t.after(() => child.kill('SIGKILL'))
  const calls = (): string[] => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [])
  while (!calls().includes('test') && child.exitCode === null) await pause(20)
  return { child, calls }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  test(`PODS13: test:pods removes a cluster that was left, and its own on ${signal}`, root, async (t) => {
    const { child, calls } = await startRun(t)
    assert.deepEqual(calls(), ['down.sh mesh-pods-7', 'test'])
    child.kill(signal)
    assert.deepEqual(await once(child, 'exit'), [130, null])
    assert.deepEqual(calls(), ['down.sh mesh-pods-7', 'test', 'down.sh mesh-pods-7'])
  })
