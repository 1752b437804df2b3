import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { LockedError, takeLock } from './lock-file.ts'

const DEAD = '999999999 1\n'

/** Waits for its input, then takes the lock 50 times and leaves the lock of a dead process behind. Prints an overlap with another process. */
const STARTER = `
const { takeLock } = await import(${JSON.stringify(new URL('./lock-file.ts', import.meta.url).href)})
const { closeSync, openSync, renameSync, unlinkSync, writeFileSync } = await import('node:fs')
const [file] = [process.argv[1]]
let taken = 0
process.stdout.write('ready ')
for await (const _ of process.stdin) break
while (taken < 50) {
  let lock
  try { lock = takeLock(file) } catch (error) { if (error.name !== 'LockedError') throw error; continue }
  try { closeSync(openSync(file + '.busy', 'wx')) } catch { process.stdout.write('overlap ') ; break }
  taken += 1
  unlinkSync(file + '.busy')
  writeFileSync(file + '.dead' + process.pid, ${JSON.stringify(DEAD)})
  renameSync(file + '.dead' + process.pid, file)
  lock.release()
}
process.stdout.write('taken ' + taken + ' ')
process.stdin.destroy()
`

test('CON14: of several processes that start on the lock of a dead one, one at a time holds it', async (t) => {
  const { path, remove } = tempFolder('lock')
  t.after(remove)
  const file = join(path, 'lock')
  writeFileSync(file, DEAD)
  const starters = [1, 2, 3, 4].map(() =>
    spawn(process.execPath, ['--input-type=module', '-e', STARTER, file], { stdio: ['pipe', 'pipe', 'inherit'] }),
  )
  let said = ''
  for (const each of starters) each.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const exits = starters.map((each) => once(each, 'exit'))
  // All at once: on a busy machine the first would be done before the last has started.
  await Promise.all(starters.map((each) => once(each.stdout, 'data')))
  for (const each of starters) each.stdin.end('go')
  const codes = await Promise.all(exits)
  assert.deepEqual(
    codes.map(([code]) => code),
    [0, 0, 0, 0],
  )
  assert.doesNotMatch(said, /overlap/)
  assert.equal(said.match(/taken 50/g)?.length, starters.length)
})

test('CON14: a folder inside a locked one has no lock file of its own, and is refused once', (t) => {
  const { path, remove } = tempFolder('lock')
  t.after(remove)
  const inner = join(path, 'database', 'lock')
  mkdirSync(join(path, 'database'))
  const outer = takeLock(join(path, 'lock'))
  const lock = takeLock(inner)
  assert.equal(existsSync(inner), false)
  assert.throws(() => takeLock(inner), LockedError)
  lock.release()
  takeLock(inner).release()
  outer.release()
  takeLock(inner).release()
})

test('CON14: a live lock of an inner or outer folder is respected in both directions', async (t) => {
  const { path, remove } = tempFolder('lock')
  t.after(remove)
  const inner = join(path, 'database', 'lock')
  mkdirSync(join(path, 'database'))
  const other = spawn('sleep', ['30'])
  t.after(() => other.kill())
  const stat = readFileSync(`/proc/${other.pid}/stat`, 'utf8')
  const live = `${other.pid} ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}\n`
  writeFileSync(join(path, 'lock'), live)
  assert.throws(
    () => takeLock(inner),
    (error: LockedError) => error.pid === other.pid,
  )
  assert.equal(existsSync(inner), false)
  writeFileSync(join(path, 'lock'), DEAD)
  writeFileSync(inner, live)
  const outer = takeLock(join(path, 'lock'))
  assert.throws(
    () => takeLock(inner),
    (error: LockedError) => error.pid === other.pid,
  )
  outer.release()
  other.kill()
  await once(other, 'exit')
})
