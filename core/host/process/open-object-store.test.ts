import assert from 'node:assert/strict'
import test from 'node:test'
import type { Role } from '#core/config/profile.ts'
import { createLogger } from '#core/log/create-logger.ts'
import { objectKey } from '#core/objects/object-key.ts'
import { createMetrics } from '#core/telemetry/prom-metrics.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { prepareObjectStore } from './open-object-store.ts'

const preset = { bucket: 'mesh-fixtures', region: 'us-east-1', tls: false }
const s3 = { ...preset, addr: '127.0.0.1:1', accessKey: 'a', secretKey: 'b' }
const origin = (setting: string): string => `mesh.yaml: ${setting}`
const key = objectKey('a')

test('state role, BFF and worker have an object store: S3, or the folder of the embedded default', async (t) => {
  const folder = tempFolder('objects')
  t.after(() => folder.remove())
  const open = (objectStore: typeof preset, roles: readonly Role[], path?: string) =>
    prepareObjectStore({ objectStore }, { roles, origin, folder: path })(
      createMetrics(),
      createLogger({ destination: { write: () => undefined } }),
    )
  assert.equal(open(s3, ['manager', 'gateway'], folder.path), undefined)
  for (const role of ['state', 'bff', 'worker'] as const) {
    const store = open(s3, [role])
    assert.ok(store, role)
    await store.close()
  }
  assert.equal(open(preset, ['state']), undefined)
  const embedded = open(preset, ['state', 'bff'], folder.path)
  await embedded?.put(key, Buffer.from('x'))
  assert.deepEqual(await embedded?.get(key, 1), Buffer.from('x'))
  const remote = open(s3, ['state', 'bff'], folder.path)
  await assert.rejects(async () => remote?.get(key, 1), { problem: 'unavailable' })
  await remote?.close()
})

test('wrong settings end the start before anything is opened, and are named by their origin', () => {
  const prepare = (wrong: object) => () =>
    prepareObjectStore({ objectStore: { ...s3, ...wrong } }, { roles: ['state'], origin, folder: undefined })
  assert.throws(
    prepare({ addr: 'http://s3cret' }),
    /^SettingsError: mesh.yaml: objectStore.addr: must be host:port(?!.*s3cret)/,
  )
  assert.throws(prepare({ secretKey: undefined }), /^SettingsError: mesh.yaml: objectStore.secretKey: must be 1 to 256/)
})
