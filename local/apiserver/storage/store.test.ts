import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import test from 'node:test'
import type { TestContext } from 'node:test'
import type { KubeObject } from '../json/kube-object.ts'
import { openStore } from './store.ts'

const ID = 'mesh.dev/widgets'

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'store-'))
  t.after(() => rmSync(path, { recursive: true, force: true }))
  return path
}

function widget(name: string, size: number, uid = `uid-${name}`): KubeObject {
  return { kind: 'Widget', apiVersion: 'mesh.dev/v1', metadata: { name, namespace: 'n', uid }, spec: { size } }
}

test('O8: a reopened store has its objects, versions and uids, and continues the version sequence', async (t) => {
  const path = folder(t)
  const first = await openStore(path)
  await first.put(ID, 'n/a', widget('a', 1)).durable
  await first.put(ID, 'n/b', widget('b', 1)).durable
  await first.put(ID, 'n/a', widget('a', 2)).durable
  await first.remove(ID, 'n/b')?.durable
  await first.close()
  const second = await openStore(path)
  t.after(() => second.close())
  assert.equal(second.revision, 4)
  assert.deepEqual(
    second.range(ID, '').map((stored) => [stored.key, stored.rv, stored.object.metadata.uid]),
    [['n/a', 3, 'uid-a']],
  )
  assert.equal(second.put(ID, 'n/c', widget('c', 1)).stored.object.metadata.resourceVersion, '5')
})

test('O8, UXL7: a torn tail is removed, reported and kept in a second file; records before it survive', async (t) => {
  const path = folder(t)
  const first = await openStore(path)
  await first.put(ID, 'n/a', widget('a', 1)).durable
  await first.close()
  const journal = join(path, 'objects.journal')
  const whole = readFileSync(journal)
  appendFileSync(journal, 'deadbeef {"rv":2,"id":"mesh.dev/widgets","key":"n/b","obj')
  const lines: string[] = []
  const second = await openStore(path, (line) => lines.push(line))
  t.after(() => second.close())
  assert.equal(second.revision, 1)
  assert.match(lines.join(), /journal truncated at its first damaged record/)
  const cut = { file: journal, records: 1, cutBytes: 57, cutRecords: 0, kept: `${journal}.torn` }
  assert.deepEqual(second.cut, cut)
  assert.deepEqual(readFileSync(journal), whole)
  assert.match(readFileSync(`${journal}.torn`, 'utf8'), /^deadbeef/)
})

test('history: states at earlier versions are complete and expire after 10,000 changes', async (t) => {
  const store = await openStore(folder(t))
  t.after(() => store.close())
  store.put(ID, 'n/a', widget('a', 1))
  store.put(ID, 'n/b', widget('b', 1))
  store.put(ID, 'n/a', widget('a', 2))
  store.remove(ID, 'n/b')
  const sizes = (rv: number) => store.rangeAt(ID, 'n', rv)?.map(({ key, object }) => [key, object['spec']])
  assert.deepEqual(sizes(2), [
    ['n/a', { size: 1 }],
    ['n/b', { size: 1 }],
  ])
  assert.deepEqual(sizes(4), [['n/a', { size: 2 }]])
  assert.deepEqual(
    store.changesSince(ID, 2)?.map((change) => change.type),
    ['MODIFIED', 'DELETED'],
  )
  for (let at = 0; at < 11_100; at += 1) store.put(ID, 'n/c', widget('c', at))
  assert.equal(store.rangeAt(ID, 'n', 2), undefined)
  assert.equal(store.changesSince(ID, 2), undefined)
  await store.settled()
})

test('compaction keeps the file near the size of the live objects and loses nothing', async (t) => {
  const path = folder(t)
  const store = await openStore(path)
  const filler = 'x'.repeat(20_000)
  for (let at = 0; at < 600; at += 1) {
    const written = store.put(ID, `n/${at % 10}`, { ...widget(String(at % 10), at), filler })
    if (at % 20 === 19) await written.durable
  }
  const before = store.range(ID, '').map(({ key, rv, object }) => [key, rv, object])
  await store.close()
  assert.ok(statSync(join(path, 'objects.journal')).size < 6_000_000)
  const again = await openStore(path)
  t.after(() => again.close())
  assert.deepEqual(
    again.range(ID, '').map(({ key, rv, object }) => [key, rv, object]),
    before,
  )
  assert.equal(again.revision, 600)
})

const WRITER = `
const { openStore } = await import(${JSON.stringify(new URL('./store.ts', import.meta.url).href)})
const store = await openStore(process.argv[1])
for (let at = 0; ; at += 1) {
  const name = 'k' + at % 50
  const object = { kind: 'Widget', apiVersion: 'mesh.dev/v1', metadata: { name, uid: name }, filler: 'x'.repeat(at % 7 * 3000) }
  const { stored, durable } = store.put('mesh.dev/widgets', name, object)
  durable.then(() => process.stdout.write(stored.rv + ' ' + name + '\\n'))
  if (at % 8 === 7) await durable
}`

test('O8: a store that is killed at random instants loses nothing that was acknowledged', async (t) => {
  const path = folder(t)
  const rounds = Number(process.env['MESH_KILL_ROUNDS'] ?? 5)
  const acknowledged = new Map<string, number>()
  for (let round = 0; round < rounds; round += 1) {
    const child = spawn(process.execPath, ['--input-type=module', '-e', WRITER, path], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const until = 50 + Math.floor(Math.random() * 3_000)
    let seen = 0
    for await (const line of createInterface({ input: child.stdout })) {
      const [rv, name = ''] = line.split(' ')
      acknowledged.set(name, Number(rv))
      if ((seen += 1) === until) child.kill('SIGKILL')
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    assert.equal(child.signalCode, 'SIGKILL')
    const store = await openStore(path)
    for (const [name, rv] of acknowledged)
      assert.ok((store.find(ID, name)?.rv ?? 0) >= rv, `${name} went back from ${rv}`)
    await store.close()
  }
})
