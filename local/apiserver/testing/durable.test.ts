import assert from 'node:assert/strict'
import { open } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { WIDGETS, startTestServer, widget } from './test-server.ts'

test('O8: no write is answered, and none is read, before its bytes are on the disk: create, update, patch, delete', async (t) => {
  const server = await startTestServer(t, { controllers: false })
  const disk = await slowDisk(t, join(server.dataDir, 'probe'))
  const merge = { type: 'application/merge-patch+json' }
  const version = async (): Promise<string> => {
    const { metadata } = (await server.call('GET', `${WIDGETS}/one`)).body as { metadata: { resourceVersion: string } }
    return metadata.resourceVersion
  }
  const writes = [
    { method: 'POST', path: WIDGETS, code: 201, body: async () => widget('one') },
    {
      method: 'PUT',
      path: `${WIDGETS}/one`,
      code: 200,
      body: async () => widget('one', 2, { resourceVersion: await version() }),
    },
    { method: 'PATCH', path: `${WIDGETS}/one`, code: 200, body: async () => ({ spec: { size: 3 } }), ...merge },
    { method: 'DELETE', path: `${WIDGETS}/one`, code: 200, body: async () => undefined },
  ]
  for (const { method, path, code, body, ...more } of writes) {
    const sent = await body()
    const syncing = disk.hold()
    const answered: string[] = []
    const answer = server.call(method, path, sent, more).finally(() => answered.push(method))
    await syncing
    const list = server.call('GET', WIDGETS).finally(() => answered.push('GET'))
    // What needs no disk is answered meanwhile, so a write or a read that did not wait would be by now.
    for (let calls = 0; calls < 5; calls += 1) await server.call('GET', '/version')
    assert.deepEqual(answered, [], `${method}: answered while its bytes were on the way`)
    disk.release()
    assert.equal((await answer).code, code, method)
    assert.equal((await list).code, 200)
  }
})

/** Syncs of files wait while the disk is held; `hold` resolves at the first one that does. */
async function slowDisk(t: TestContext, probe: string): Promise<{ hold(): Promise<void>; release(): void }> {
  const handle = await open(probe, 'w')
  const prototype = Object.getPrototypeOf(handle) as FileHandle
  await handle.close()
  const sync = prototype.datasync
  let held: { readonly begun: PromiseWithResolvers<void>; readonly end: PromiseWithResolvers<void> } | undefined
  t.mock.method(prototype, 'datasync', async function datasync(this: FileHandle) {
    held?.begun.resolve()
    await held?.end.promise
    return sync.call(this)
  })
  return {
    hold: () => {
      held = { begun: Promise.withResolvers(), end: Promise.withResolvers() }
      return held.begun.promise
    },
    release: () => {
      held?.end.resolve()
      held = undefined
    },
  }
}
