import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmodSync, readFileSync, readdirSync, statSync, writeFileSync, mkdirSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { listen } from '#test/harness/listen.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { commandsOf } from '../flows/readme.ts'

const page = fileURLToPath(import.meta.resolve('../../docs/how-to/work-locally.md'))
const meshctl = fileURLToPath(import.meta.resolve('../../local/testdata/meshctl.ts'))

test('the commands of docs/how-to/work-locally.md run, edit, record and replay an agent', async (t) => {
  const { path: folder, remove } = tempFolder('work-locally')
  t.after(remove)
  for (const name of ['bin', 'tmp']) mkdirSync(join(folder, name))
  writeFileSync(join(folder, 'bin', 'meshctl'), `#!/bin/sh\nexec '${process.execPath}' '${meshctl}' "$@"\n`)
  chmodSync(join(folder, 'bin', 'meshctl'), 0o755)
  const server = createServer()
  const { port } = new URL(await listen(t, server))
  server.close()
  const sections = ['Run an agent', 'Edit it', 'Record and replay']
  const commands = sections
    .flatMap((heading) => [...commandsOf(page, heading)])
    .join('\n')
    .replaceAll(':8090', `:${port}`)
  const { PATH, MESH_TEST_PROGRAM } = process.env
  const program = MESH_TEST_PROGRAM === undefined ? {} : { MESH_TEST_PROGRAM }
  const env = { PATH: `${join(folder, 'bin')}:${PATH}`, HOME: folder, TMPDIR: join(folder, 'tmp'), ...program }
  const script = `set -eo pipefail\ntrap 'kill $DEV 2>/dev/null || true' EXIT\n${commands.replaceAll('--port 8090', `--port ${port}`)}`
  const { stdout } = await promisify(execFile)('bash', ['-c', script], { cwd: folder, env, timeout: 200_000 })
  assert.match(stdout, /"output":"MOCK_OK"/)
  assert.match(stdout, /→ MOCK_OK\nevery recorded call was made as recorded\n$/)
  assert.match(
    readFileSync(join(folder, 'dev.log'), 'utf8'),
    /model mock {2}\d+ ms[^]*recorded in run\.json[^]*reloaded in \d+ ms/,
  )
  assert.equal(statSync(join(folder, 'run.json')).mode & 0o777, 0o600)
  assert.deepEqual(readdirSync(join(folder, 'tmp')), [])
})
