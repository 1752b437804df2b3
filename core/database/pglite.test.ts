import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import test, { after, before } from 'node:test'
import type { TestContext } from 'node:test'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { sql } from 'kysely'
import { openDatabase } from './database.ts'
import { readAfter } from '#core/event-store/read-events.ts'
import { migrate } from './migrate.ts'
import { prepareImage } from './pglite-data-dir.ts'
import { LockedError, takeLock } from './lock-file.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'

// Made once: 2.5 s of CPU.
const images = tempFolder('pglite-image')
const image = join(images.path, 'image')
before(() => prepareImage(image))
after(() => images.remove())

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'mesh-pglite-'))
  t.after(() => rmSync(path, { recursive: true, force: true }))
  return path
}

function startAppender(location: object): ChildProcess & { stdout: NodeJS.ReadableStream } {
  const program = new URL('../messaging/consumer/testing/appender.ts', import.meta.url).pathname
  const child = spawn(process.execPath, [program, JSON.stringify(location)], { stdio: ['ignore', 'pipe', 'inherit'] })
  return child as ChildProcess & { stdout: NodeJS.ReadableStream }
}

const kills = Number(process.env.MESH_KILLS ?? 4)

test(`O8: killed with -9 at ${kills} random instants the store opens again and nothing committed is lost`, async (t) => {
  // Two stores in parallel: opening one after a kill keeps a core busy for some seconds.
  await Promise.all([killOften(folder(t), Math.ceil(kills / 2)), killOften(folder(t), Math.floor(kills / 2))])
})

async function killOften(path: string, times: number): Promise<void> {
  const location = { pglite: join(path, 'store'), image }
  const first = await openDatabase(location)
  await migrate(first, [storeMigrations])
  await first.close()
  assert.ok(existsSync(join(location.pglite, 'copy')), 'a clean stop keeps a copy')
  let expected = 0
  // The kill may fall between a COMMIT and its line, so more may be stored, never fewer.
  const compare = (found: number): void => assert.ok(found >= expected, `${found} of ${expected}`)
  for (let kill = 0; kill < times; kill++) {
    const child = startAppender(location)
    const exited = once(child, 'exit')
    const most = 1 + Math.floor(Math.random() * 60)
    let committed = 0
    for await (const line of createInterface({ input: child.stdout })) {
      // The process started after a kill reports what it found.
      const [word, found] = line.split(' ')
      if (word === 'ready') {
        compare(Number(found))
        expected = Number(found)
      } else if (++committed === most) child.kill('SIGKILL')
    }
    assert.deepEqual(await exited, [null, 'SIGKILL'])
    expected += committed
  }
  const last = await openDatabase(location)
  compare((await readAfter(last.db, 0n, 1_000_000)).length)
  await last.close()
}

test('O8: a second process on the folder is refused with the first one’s pid', async (t) => {
  const path = folder(t)
  const location = { pglite: join(path, 'store'), image }
  const first = await openDatabase(location)
  await migrate(first, [storeMigrations])
  await first.close()
  const child = startAppender(location)
  const exited = once(child, 'exit')
  await once(createInterface({ input: child.stdout }), 'line')
  await assert.rejects(openDatabase(location), (error: LockedError) => error.pid === child.pid)
  child.kill('SIGKILL')
  await exited
  await (await openDatabase(location)).close()
  assert.equal(existsSync(join(location.pglite, 'lock')), false)
})

test('an image that can be neither created nor copied only costs time: the store opens without it, in bounded memory', async (t) => {
  const path = folder(t)
  writeFileSync(join(path, 'file'), '')
  const database = await openDatabase({ pglite: join(path, 'store'), image: join(path, 'file', 'image') })
  await migrate(database, [storeMigrations])
  const { rows } = await sql<{ shared_buffers: string }>`show shared_buffers`.execute(database.root)
  assert.equal(rows[0]?.shared_buffers, '32MB')
  await database.close()
  assert.equal(existsSync(join(path, 'store', 'data', 'PG_VERSION')), true)
})

test('O8: the lock of a dead process, or of an earlier one with our pid, is taken over; our own is not', (t) => {
  const file = join(folder(t), 'lock')
  writeFileSync(file, '999999999 1\n')
  const lock = takeLock(file)
  assert.throws(() => takeLock(file), LockedError)
  assert.match(readFileSync(file, 'utf8'), new RegExp(`^${process.pid} `))
  lock.release()
  if (existsSync('/proc/self/stat')) {
    writeFileSync(file, `${process.pid} 1\n`)
    takeLock(file).release()
  }
  assert.equal(existsSync(file), false)
})
