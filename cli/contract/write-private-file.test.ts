import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { stopSignals } from './stop-signal.ts'

// Writes one piece, says so, and waits for a second one.
const program = `
const { writePrivateFile } = await import(process.argv[1])
async function* pieces() {
  yield 'secret'
  process.stdout.write('writing')
  await new Promise((resolve) => setTimeout(resolve, 60_000))
}
await writePrivateFile(process.argv[2], pieces())
`

for (const signal of stopSignals)
  test(`X8: ${signal} in the middle of a private file leaves the old file and no other`, async (t) => {
    const folder = tempFolder('private')
    t.after(folder.remove)
    const path = join(folder.path, 'fixture.json')
    writeFileSync(path, 'old')
    const module = import.meta.resolve('./write-private-file.ts')
    const child = spawn(process.execPath, ['--input-type=module', '-e', program, module, path], { stdio: 'pipe' })
    t.after(() => child.kill('SIGKILL'))
    await once(child.stdout, 'data')
    assert.equal(readdirSync(folder.path).length, 2)
    child.kill(signal)
    assert.deepEqual(await once(child, 'exit'), [null, signal])
    assert.deepEqual(readdirSync(folder.path), ['fixture.json'])
  })
