import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { openPglite } from '#core/database/pglite-data-dir.ts'
import { LockedError } from '#core/database/lock-file.ts'
import { plugins } from '#plugins/index.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { startApiServer } from '@mesh.dev/embedded-apiserver'
import { BadDataFolder, loadTokens, openDataFolder } from './data-folder.ts'
import { toKubeconfig } from './kubeconfig.ts'
import { ignoredLine, ownEnvironment } from '../own-environment.ts'
import { personas } from './personas.ts'
import { givenPorts } from '../terminal/ports.ts'

/** Modes of the files below a folder that grant access to others than the owner. */
function open(path: string): string[] {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((entry) => (statSync(entry).mode & 0o077) !== 0)
}

test('SEC23: only the owner has access to the files of the data folder, including the store of PGlite and its copy', async (t) => {
  const temporary = tempFolder('data')
  t.after(temporary.remove)
  const path = join(temporary.path, 'data')
  const { folder, release } = openDataFolder(path, false)
  t.after(release)
  loadTokens(folder.tokens, ['admin'])
  const server = await startApiServer({ dataDir: folder.apiserver, crds: [], tokens: [] })
  const database = await openPglite(folder.database)
  assert.deepEqual(open(path), [])
  await database.pglite.exec('create table t (a int); insert into t select generate_series(1, 1000)')
  await database.close()
  await server.close()
  assert.deepEqual(open(path), [], 'after a stop')
  assert.equal(statSync(path).mode & 0o777, 0o700)
})

test('SEC23: a folder that mesh did not create keeps its mode, and is refused unless it is empty', (t) => {
  const { path, remove } = tempFolder('data')
  t.after(remove)
  const [empty, foreign, file] = ['empty', 'foreign', 'file'].map((name) => join(path, name))
  assert.ok(empty !== undefined && foreign !== undefined && file !== undefined)
  for (const folder of [empty, foreign]) mkdirSync(folder)
  for (const folder of [empty, foreign]) chmodSync(folder, 0o755)
  openDataFolder(empty, false).release()
  writeFileSync(join(foreign, 'thesis.txt'), 'x')
  for (const fresh of [false, true])
    assert.throws(
      () => openDataFolder(foreign, fresh),
      new BadDataFolder(foreign, 'is not empty and was not created by mesh; name an empty or a new folder'),
    )
  assert.deepEqual(readdirSync(foreign), ['thesis.txt'])
  for (const folder of [empty, foreign]) assert.equal(statSync(folder).mode & 0o777, 0o755)
  writeFileSync(file, '')
  assert.throws(() => openDataFolder(file, false), /is a file, not a folder/)
})

test('UXL8: a folder that cannot be created is an error, not a hang', { skip: process.platform !== 'linux' }, () => {
  assert.throws(() => openDataFolder('/proc/x/y', false), BadDataFolder)
})

test('CON14, O8: a second process on a data folder is refused by its one lock', (t) => {
  const { path, remove } = tempFolder('data')
  t.after(remove)
  const first = openDataFolder(join(path, 'data'), false)
  assert.throws(() => openDataFolder(join(path, 'data'), false), LockedError)
  first.release()
  openDataFolder(join(path, 'data'), false).release()
})

test('SEC27: addresses and connections in the environment are ignored and reported', () => {
  const shell = {
    DATABASE_URL: 'postgres://other',
    NATS_URL: 'nats://other',
    BFF_URL: 'http://other',
    GATEWAY_URL: 'http://other',
    STATE_URL: 'http://other',
    AUDIT_SPOOL_DIR: '/other',
    AUDIT_RETENTION_DAYS: '1',
    EVENT_RETENTION_DAYS: '1',
    KUBECONFIG: '/other',
  }
  const mine = { LOG_LEVEL: 'debug', MESH_ADMIN_PORT: '9', MESH_CONFIG: 'mesh.yaml', PATH: '/bin', EMPTY: '' }
  const { env, ignored } = ownEnvironment({ ...shell, ...mine }, plugins)
  assert.deepEqual(env, mine)
  const { KUBECONFIG: _, ...named } = shell
  assert.deepEqual(ignored, Object.keys(named).toSorted())
  assert.match(ignoredLine(ignored) ?? '', /^ignored from the environment: .*DATABASE_URL.* MESH_CONFIG/)
  assert.equal(ignoredLine(ownEnvironment(mine, plugins).ignored), undefined)
})

test('SEC27: a port of the environment is the port that is announced', () => {
  const ports = { bff: 1, gateway: 2, state: 3, manager: 5, admin: 4 }
  assert.deepEqual(givenPorts(ports, { MESH_GATEWAY_PORT: '7', MESH_STATE_PORT: '', MESH_BFF_PORT: '0' }), {
    ...ports,
    gateway: 7,
  })
})

test('UXM22: kubectl is a developer unless a context says otherwise', () => {
  const tokens = { admin: 'a', operator: 'o', developer: 'd', viewer: 'v', 'other-tenant': 't' }
  const server = { url: 'https://127.0.0.1:1', certificateAuthority: 'pem', apiUrl: 'http://127.0.0.1:2' }
  const text = toKubeconfig(server, tokens, 'developer')
  assert.match(text, /^current-context: developer$/m)
  for (const persona of personas) assert.match(text, new RegExp(`user: ${persona}$`, 'm'))
})
