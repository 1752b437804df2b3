import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import test from 'node:test'
import type { TestContext } from 'node:test'
import fc from 'fast-check'
import { listen } from '#test/harness/listen.ts'
import { needs } from '#test/harness/find-server.ts'
import { startS3 } from '#test/harness/s3.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { createFolderStore } from './folder-store.ts'
import { objectKey, objectPrefix, parseObjectKey, parseObjectPrefix } from './object-key.ts'
import { objectStoreContract } from './object-store.contract.ts'
import { parseS3Settings } from './s3-address.ts'
import { openS3Store } from './s3-store.ts'
import { objectStores, openS3 } from './testing/adapters.ts'

for (const adapter of objectStores()) objectStoreContract(adapter)

const key = objectKey('runs', 'a')
const keys = { accessKey: 'test-access', secretKey: 'secret-canary' }

test('F1: keys have plain segments, whatever a text looks like', () => {
  for (const good of ['a', 'runs/0/model/0000000000000001.json', '-a/_b', 'a.b', `${'a'.repeat(128)}/b`])
    assert.equal(parseObjectKey(good), good)
  for (const bad of [
    '',
    '/a',
    'a/',
    'a//b',
    '.',
    '..',
    'a/../b',
    '.a/b',
    'a\0b',
    'a\nb',
    'a\\b',
    'a b',
    'ä',
    '\ud800',
    'a%2fb',
    'a?b',
    'a'.repeat(129),
    'a/b/c/d/e/f/g/h/i',
    'a/'.repeat(300),
  ]) {
    assert.equal(parseObjectKey(bad), undefined, bad)
    assert.throws(() => objectKey(bad), /^TypeError: the key of an object is not valid$/)
  }
  assert.deepEqual(['a/', 'a/b/', 'a', '/', '', '../'].map(parseObjectPrefix), [
    'a/',
    'a/b/',
    ...Array(4).fill(undefined),
  ])
})

test('F1: any key stays in the folder of the store', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('.', '/', 'a', '-', '\\', '\0') }), (text) => {
      const parsed = parseObjectKey(text)
      return (
        parsed === undefined ||
        (join('/data', parsed) === `/data/${parsed}` && !parsed.includes('..')) ||
        /[^./]\.\./.test(parsed)
      )
    }),
  )
})

test('OBJECT_STORE_ADDR: host and port; messages quote no value', () => {
  const settings = { addr: 'a:9000', bucket: 'mesh-fixtures', region: 'us-east-1', tls: false, ...keys }
  assert.equal(parseS3Settings(settings).origin, 'http://a:9000')
  assert.equal(parseS3Settings({ ...settings, addr: '[::1]:9000', tls: true }).origin, 'https://[::1]:9000')
  for (const [wrong, setting] of [
    [{ addr: '' }, 'addr'],
    [{ addr: 'http://a:1' }, 'addr'],
    [{ addr: 'u:secret-canary@a:1' }, 'addr'],
    [{ addr: 'a:1/secret-canary' }, 'addr'],
    [{ addr: 'a:99999' }, 'addr'],
    [{ addr: 'a\0' }, 'addr'],
    [{ bucket: 'A' }, 'bucket'],
    [{ bucket: '../x' }, 'bucket'],
    [{ region: 'x y' }, 'region'],
    [{ accessKey: undefined }, 'accessKey'],
    [{ secretKey: '' }, 'secretKey'],
    [{ secretKey: 'secret-canary\n' }, 'secretKey'],
  ] as const)
    assert.throws(
      () => parseS3Settings({ ...settings, ...wrong }),
      (error: Error & { setting?: string }) => error.setting === setting && !error.message.includes('canary'),
      JSON.stringify(wrong),
    )
})

test('folder: files are of this user only, and links and foreign files are no objects', async (t) => {
  const folder = tempFolder('objects')
  t.after(() => folder.remove())
  const store = createFolderStore(join(folder.path, 'objects'))
  await store.put(key, Buffer.from('x'))
  const path = join(folder.path, 'objects/runs')
  assert.deepEqual([statSync(join(path, 'a')).mode & 0o777, statSync(path).mode & 0o777], [0o600, 0o700])
  assert.deepEqual(readdirSync(path), ['a'])
  mkdirSync(join(path, 'folder'))
  writeFileSync(join(path, '.left-over'), 'x')
  symlinkSync('/etc/hostname', join(path, 'link'))
  assert.deepEqual(await store.list(objectPrefix('runs'), { limit: 10 }), [key])
  assert.equal(await store.get(objectKey('runs', 'folder'), 10), undefined)
  const unusable = createFolderStore(join(path, 'a'))
  await assert.rejects(
    unusable.put(key, Buffer.from('x')),
    /^ObjectStoreError: the folder of objects cannot be used: [A-Z]+$/,
  )
})

test('folder: the folders of removed objects are gone, and an object that is stored meanwhile is kept', async (t) => {
  const folder = tempFolder('objects')
  t.after(() => folder.remove())
  const store = createFolderStore(folder.path)
  const [one, other] = [objectKey('runs', 'a', 'model', '1'), objectKey('runs', 'a', 'model', '2')]
  for (let round = 0; round < 100; round++) {
    await Promise.all([store.put(one, Buffer.from('x')), store.remove([other])])
    assert.deepEqual(await store.get(one, 10), Buffer.from('x'))
    await store.remove([one])
    assert.deepEqual(readdirSync(folder.path), [])
  }
})

/** An S3 server that answers as `respond` says. */
async function startFake(t: TestContext, respond: Parameters<typeof createServer>[1], deadlineMs = 60_000) {
  const url = await listen(t, createServer(respond))
  return openS3(t, { url, ...keys }, { deadlineMs })
}

test('s3: refusals and outages are distinguished, without text of the server', async (t) => {
  const secret = { message: /^(?!.*(?:canary|127\.0\.0\.1)).*$/s }
  const xml = '<Error><Code>AccessDenied</Code><Message>secret-canary</Message></Error>'
  const refusing = await startFake(t, (_, response) =>
    response.writeHead(403, { 'content-type': 'application/xml' }).end(xml),
  )
  const refused = { problem: 'refused', message: 'the object store refused the request: 403 AccessDenied' }
  await assert.rejects(refusing.put(key, Buffer.from('x')), refused)
  await assert.rejects(refusing.get(key, 10), refused)
  await assert.rejects(refusing.list(objectPrefix('runs'), { limit: 1 }), { name: 'ObjectStoreError', ...secret })
  const silent = await startFake(t, () => undefined, 500)
  const broken = await startFake(t, (_, response) => void response.destroy())
  const failing = await startFake(t, (_, response) => void response.writeHead(503).end('secret-canary'))
  const moved = await startFake(
    t,
    (_, response) => void response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(),
  )
  for (const store of [silent, broken, failing, moved]) {
    await assert.rejects(store.put(key, Buffer.from('x')), { problem: 'unavailable', ...secret })
    await assert.rejects(store.remove([key]), { problem: 'unavailable', ...secret })
  }
})

test('F6: s3: an answer without end is cut, of objects and of pages', async (t) => {
  const store = await startFake(t, (_, response) => {
    response.writeHead(200)
    const chunk = Buffer.alloc(1024 * 1024, 'x')
    const write = (): void => {
      while (!response.destroyed && response.write(chunk));
    }
    response.on('drain', write)
    write()
  })
  await assert.rejects(store.get(key, 100), { name: 'ObjectStoreError' })
  await assert.rejects(store.list(objectPrefix('runs'), { limit: 1 }), { name: 'ObjectStoreError' })
})

test('s3: a body that stops in the middle ends at the deadline', async (t) => {
  const store = await startFake(t, (_, response) => void response.writeHead(200).write('x'), 500)
  await assert.rejects(store.get(key, 100), { problem: 'unavailable' })
})

test('s3: wrong keys and a missing bucket are refused', needs('versitygw'), async (t) => {
  const server = await startS3(t, { buckets: [] })
  await assert.rejects(openS3(t, server).put(key, Buffer.from('x')), { problem: 'refused' })
  await assert.rejects(openS3(t, { ...server, secretKey: 'wrong-canary' }).get(key, 10), {
    problem: 'refused',
    message: /^(?!.*canary)/,
  })
})

test('s3: a server that is killed fails calls, and does not end the process', needs('versitygw'), async (t) => {
  const server = await startS3(t)
  const store = openS3(t, server)
  await store.put(key, Buffer.from('x'))
  await server.kill9()
  await assert.rejects(store.get(key, 10), { problem: 'unavailable' })
})

test('R2-CL-6: a defect of this process is logged, and is not reported as a server that does not respond', async (t) => {
  const logged: string[] = []
  const store = openS3Store(
    parseS3Settings({ addr: '127.0.0.1:1', bucket: 'mesh-fixtures', region: 'x', tls: false, ...keys }),
    {
      log: { error: (fields, message) => void logged.push(`${message} ${Object.keys(fields).join()}`) },
    },
  )
  t.after(() => store.close())
  // A key that no text can be made of fails in this process, before any request.
  const broken = Object.assign(Buffer.from('x'), { [Symbol.toPrimitive]: undefined }) as unknown as typeof key
  Object.defineProperty(broken, 'toString', { value: undefined })
  await assert.rejects(store.put(broken, Buffer.from('x')), { problem: 'refused' })
  assert.deepEqual(logged, ['call of the object store failed unexpectedly operation,err'])
  await assert.rejects(store.get(key, 1), { problem: 'unavailable' })
  assert.equal(logged.length, 1, 'a refused connection is no defect')
})
