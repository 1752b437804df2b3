import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { openStore } from '../storage/store.ts'
import { WIDGETS, startTestServer, widget } from './test-server.ts'
import type { ParsedResponse } from './test-server.ts'

const names = ({ body }: ParsedResponse): string[] =>
  (body['items'] as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name)

function assertRefused({ code, body, headers }: ParsedResponse, what: string): void {
  assert.equal(code, 503, what)
  assert.equal(body['reason'], 'ServiceUnavailable')
  assert.match(String(body['message']), /data folder cannot be written: no space is left/)
  assert.equal(headers.get('retry-after'), '5')
}

const MERGE = { type: 'application/merge-patch+json' }

/** While `full` is set a write stores half of its bytes and fails, as on a full file system. */
async function fillingDisk(t: TestContext, probe: string): Promise<{ full: boolean }> {
  const disk = { full: false }
  const handle = await open(probe, 'w')
  const prototype = Object.getPrototypeOf(handle) as FileHandle
  await handle.close()
  const append = prototype.appendFile
  t.mock.method(prototype, 'appendFile', async function appendFile(this: FileHandle, text: string) {
    if (!disk.full) return append.call(this, text)
    await append.call(this, text.slice(0, text.length / 2))
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
  })
  return disk
}

test('UXM4: with a full disk changes are refused and undone, reads go on, and room is enough to recover', async (t) => {
  const logged: string[] = []
  const server = await startTestServer(t, { controllers: false, log: (message) => logged.push(message) })
  const disk = await fillingDisk(t, join(server.dataDir, 'probe'))
  assert.equal((await server.call('POST', WIDGETS, widget('kept'))).code, 201)
  const journal = readFileSync(join(server.dataDir, 'objects.journal'))
  disk.full = true
  const writes: [string, string, object?, object?][] = [
    ['POST', WIDGETS, widget('new')],
    ['PATCH', `${WIDGETS}/kept`, { spec: { size: 7 } }, MERGE],
    ['DELETE', `${WIDGETS}/kept`],
  ]
  for (const [method, path, body, more] of writes) {
    // Two at once: the second waits behind the first, and is refused with it.
    const answers = await Promise.all([
      server.call(method, path, body, more),
      server.call('POST', WIDGETS, widget('z')),
    ])
    for (const answer of answers) assertRefused(answer, method)
    assert.deepEqual(names(await server.call('GET', WIDGETS)), ['kept'], `after ${method}`)
    const kept = await server.call('GET', `${WIDGETS}/kept`)
    assert.deepEqual(kept.body['spec'], { size: 1, colour: 'red' })
  }
  const health = async () => (await fetch(`${server.url}/readyz`)).status
  assert.equal(await health(), 500)
  assert.deepEqual(readFileSync(join(server.dataDir, 'objects.journal')), journal, 'nothing half-written stays')
  disk.full = false
  assert.equal(await health(), 200, 'found out without a write of a client')
  assert.equal((await server.call('POST', WIDGETS, widget('new'))).code, 201)
  assert.deepEqual(logged, [
    'journal cannot be written, rejecting changes',
    'journal can be written again, accepting changes',
  ])
  await server.close()
  const again = await openStore(server.dataDir)
  t.after(() => again.close())
  assert.deepEqual(
    again.range('mesh.dev/widgets', '').map(({ object }) => object.metadata.name),
    ['kept', 'new'],
  )
})

test('UXM4: a watch shows no change that was refused, and goes on after it', async (t) => {
  const server = await startTestServer(t, { controllers: false })
  const disk = await fillingDisk(t, join(server.dataDir, 'probe'))
  const response = await fetch(`${server.url}${WIDGETS}?watch=1`, { headers: { authorization: 'Bearer admin-token' } })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  assert.ok(reader)
  disk.full = true
  assertRefused(await server.call('POST', WIDGETS, widget('refused')), 'POST')
  disk.full = false
  assert.equal((await server.call('POST', WIDGETS, widget('stored'))).code, 201)
  const { value = '' } = await reader.read()
  await reader.cancel()
  const event = JSON.parse(value.split('\n')[0] ?? '') as { type: string; object: { metadata: { name: string } } }
  assert.deepEqual([event.type, event.object.metadata.name], ['ADDED', 'stored'])
})

test('UXM4: a compaction for which there is no room loses nothing', async (t) => {
  const folder = smallDisk(t)
  if (folder === undefined) return t.skip('NOT RUN: a small file system can only be mounted by root on Linux')
  const store = await openStore(folder)
  const filler = 'x'.repeat(100_000)
  const object = { kind: 'Widget', apiVersion: 'mesh.dev/v1', metadata: { name: 'a' }, filler }
  const refused: unknown[] = []
  for (let at = 0; at < 200; at += 1)
    await store
      .put('mesh.dev/widgets', `k${at % 12}`, { ...object, at })
      .durable.catch((error: unknown) => refused.push(error))
  const before = store.range('mesh.dev/widgets', '').map(({ key, rv, body }) => [key, rv, body])
  assert.ok(refused.length > 0, 'the disk was never full')
  await store.close()
  const again = await openStore(folder)
  t.after(() => again.close())
  assert.deepEqual(
    again.range('mesh.dev/widgets', '').map(({ key, rv, body }) => [key, rv, body]),
    before,
  )
})

test('UXM4: on a file system that is full the server answers reads, and writes once there is room', async (t) => {
  const folder = smallDisk(t)
  if (folder === undefined) return t.skip('NOT RUN: a small file system can only be mounted by root on Linux')
  const server = await startTestServer(t, { dataDir: folder, auditFile: join(folder, 'audit.log') })
  assert.equal((await server.call('POST', WIDGETS, widget('kept'))).code, 201)
  const filler = join(folder, 'filler')
  assert.throws(() => writeFileSync(filler, Buffer.alloc(16 << 20)), /ENOSPC/)
  for (let round = 0; round < 3; round += 1) {
    const filled = { metadata: { annotations: { filler: 'x'.repeat(200_000) } } }
    assertRefused(await server.call('PATCH', `${WIDGETS}/kept`, filled, MERGE), 'PATCH')
    assert.deepEqual(names(await server.call('GET', WIDGETS)), ['kept'])
  }
  rmSync(filler)
  assert.equal((await server.call('POST', WIDGETS, widget('after'))).code, 201)
  assert.ok(names(await server.call('GET', WIDGETS)).includes('after'))
})

/** A file system of 5 MiB that is unmounted with the test; undefined where none can be mounted. */
function smallDisk(t: TestContext): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'full-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=5m', 'tmpfs', folder], { stdio: 'ignore' })
  } catch {
    rmSync(folder, { recursive: true })
    return undefined
  }
  t.after(() => {
    execFileSync('umount', ['-l', folder])
    rmSync(folder, { recursive: true })
  })
  return folder
}
