import assert from 'node:assert/strict'
import { appendFileSync, existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { openSpool } from './spool.ts'

function folderOf(t: TestContext): string {
  const folder = tempFolder('spool')
  t.after(folder.remove)
  return join(folder.path, 'spool')
}

const line = (n: number): string => `{"n":${n}}\n`
const files = (folder: string): string[] => readdirSync(folder).filter((name) => name.endsWith('.jsonl'))

test('A1: the spool of a dead process is read once, in order, and removed when it is settled', (t) => {
  const folder = folderOf(t)
  const first = openSpool({ folder, maxBytes: 10_000, segmentBytes: 20 })
  for (let n = 0; n < 10; n++) assert.ok(first.write(line(n), true))
  assert.equal(first.size(), 10)
  first.close()
  assert.ok(files(folder).length > 1)
  const second = openSpool({ folder, maxBytes: 10_000 })
  t.after(() => second.close())
  assert.equal(second.size(), 10)
  second.write(line(10), true)
  const seen: string[] = []
  for (let next = second.next(); next !== undefined; next = second.next()) {
    seen.push(...next.lines)
    second.settle(next.segment, next.lines.length)
  }
  assert.deepEqual(
    seen.map((text) => (JSON.parse(text) as { n: number }).n),
    Array.from({ length: 10 }, (_, n) => n),
  )
  assert.equal(files(folder).length, 1, 'only the segment that is written to')
})

test('A2: files are 0600 in a folder of 0700; settled bytes are freed; entries beyond the bound are refused', (t) => {
  const folder = folderOf(t)
  const spool = openSpool({ folder, maxBytes: 100, segmentBytes: 1000 })
  t.after(() => spool.close())
  const written = Array.from({ length: 20 }, (_, n) => spool.write(line(n), true))
  const taken = written.filter((segment) => segment !== undefined)
  assert.ok(taken.length < 20 && taken.length * line(0).length <= 100)
  const [name = ''] = files(folder)
  assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600)
  assert.equal(statSync(folder).mode & 0o777, 0o700)
  for (const segment of taken) spool.settle(segment, 1)
  assert.equal(statSync(join(folder, name)).size, 0)
  assert.ok(spool.write(line(1), true))
})

test('A1: released entries are read back, from separate files; held ones are not', (t) => {
  const folder = folderOf(t)
  const spool = openSpool({ folder, maxBytes: 100_000 })
  t.after(() => spool.close())
  const held = spool.write(line(0), true)
  assert.ok(held)
  for (let n = 1; n <= 1_000; n++) assert.notEqual(spool.write(line(n), false), held)
  assert.equal(files(folder).length, 2, 'they share a file')
  const next = spool.next()
  assert.equal(next?.lines.length, 1_000)
  assert.equal(spool.next(), undefined)
  spool.write(line(1_001), false)
  spool.settle(next.segment, 1_000)
  assert.deepEqual(spool.next()?.lines, [line(1_001).trim()])
  assert.equal(spool.size(), 2)
})

test('a folder belongs to one process: a live owner is named, a dead one is replaced', (t) => {
  const folder = folderOf(t)
  const spool = openSpool({ folder, maxBytes: 10_000 })
  assert.throws(() => openSpool({ folder, maxBytes: 10_000 }), new RegExp(`in use by process ${process.pid}`))
  spool.close()
  assert.ok(!existsSync(join(folder, 'lock')))
  writeFileSync(join(folder, 'lock'), '999999999 1\n')
  appendFileSync(join(folder, '1.jsonl'), '{"n":1}\n{"n"')
  const next = openSpool({ folder, maxBytes: 10_000 })
  t.after(() => next.close())
  assert.equal(next.next()?.lines.length, 2, 'a torn line is returned, too, so that it is counted')
})
