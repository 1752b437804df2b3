import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, matchesGlob } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { composeHost } from '#core/host/process/compose-process.ts'
import { runForTest } from '#core/host/testing/run-command.ts'
import { createLogger } from '#core/log/create-logger.ts'
import { createDatabase } from '#test/harness/database.ts'
import { needs } from '#test/harness/find-server.ts'
import { sharedKube } from '#test/harness/kube.ts'
import { kubectl } from '#test/harness/kubectl.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { commandsOf } from '../flows/readme.ts'
import { filesOfPage, listedFiles } from './page-files.ts'

const page = fileURLToPath(new URL('../../docs/how-to/write-a-plugin.md', import.meta.url))

test('write-a-plugin lists each file with its purpose: at most 14 for a kind, a table, an event and a route', () => {
  const listed = listedFiles(page)
  assert.deepEqual([...listed.keys()], [...filesOfPage(page).keys()])
  assert.ok(listed.size <= 14 && [...listed.values()].every((purpose) => purpose.length > 10))
})

// The package test runs the same commands.
test('R2-UX-5: write-a-plugin installs the tarball that npm run pack writes, and no package of a registry', () => {
  const [commands = ''] = commandsOf(page, 'Install')
  const { name, version } = JSON.parse(
    readFileSync(fileURLToPath(new URL('../../package.json', import.meta.url)), 'utf8'),
  ) as { name: string; version: string }
  const tarball = `dist/${name.slice(1).replace('/', '-')}-${version}.tgz`
  const installed = [...commands.matchAll(/^npm install (.+)$/gm)].map(([, what = '']) => what)
  assert.equal(installed.length, 1)
  const [, pattern = ''] = /^"\$CHECKOUT"\/(.+)$/.exec(installed[0] ?? '') ?? []
  assert.ok(matchesGlob(tarball, pattern), `${pattern} does not find ${tarball}`)
  assert.ok(commands.indexOf('run --silent pack') < commands.indexOf('npm install'))
})

// The package test runs the commands of the page with the packed tarball and `mesh all`.
test(
  'the plugin of write-a-plugin runs on PostgreSQL and a kube-apiserver: kind, event, table, routes, error and command',
  needs('etcd', 'kube-apiserver', 'kubectl', 'postgres', 'initdb'),
  async (t) => {
    const folder = tempFolder('write-a-plugin')
    t.after(folder.remove)
    for (const [path, text] of filesOfPage(page)) {
      mkdirSync(dirname(join(folder.path, path)), { recursive: true })
      writeFileSync(join(folder.path, path), text)
    }
    writeFileSync(join(folder.path, 'package.json'), '{ "type": "module" }')
    const kube = await sharedKube(t)
    const env = { MESH_CONFIG: join(folder.path, 'mesh.yaml'), DATABASE_URL: await createDatabase(t) }
    const config = kube.kubeconfig(kube.tokens['admin'] ?? '')
    const manifests = await runForTest('manifests', ['--third-party'], { env })
    assert.deepEqual([manifests.code, manifests.err], [0, ''])
    t.after(() => kubectl(config, ['delete', '-f', '-', '--ignore-not-found', '--wait=false'], manifests.out))
    const applied = await kubectl(config, ['apply', '--server-side', '-f', '-'], manifests.out)
    assert.equal(applied.code, 0, applied.stderr)
    await kubectl(config, ['wait', '--for=condition=Established', '--timeout=30s', 'crd/bookshelves.acme.example'])

    const composed = await composeHost({
      roles: ['migrate', 'bff'],
      plugins: [],
      version: '0.0.0',
      env,
      presets: { listen: { host: '127.0.0.1', bff: 0, admin: 0 } },
      cluster: { server: kube.url, tls: { ca: kube.ca }, bearerOf: () => undefined },
      generateKeys: true,
      log: createLogger({ level: 'error' }),
    })
    t.after(() => composed.close())
    await composed.host.start()
    const call = async (path: string, body?: object, as = 'admin') => {
      const headers = { authorization: `Bearer ${kube.tokens[as]}`, 'content-type': 'application/json' }
      const init = body === undefined ? { headers } : { headers, method: 'POST', body: JSON.stringify(body) }
      const answer = await fetch(`${composed.host.addresses().bff}/api/x/library${path}`, init)
      return [answer.status, (await answer.json()) as Record<string, unknown>] as const
    }
    const shelf = { metadata: { name: 'poetry', namespace: 'default' }, spec: { room: 'Attic' } }
    const [created, object] = await call('/bookshelves', shelf)
    assert.equal(created, 201, JSON.stringify(object))
    const loans = '/bookshelves/default/poetry/loans'
    assert.deepEqual(await call(loans, { book: 'Duino Elegies' }), [201, { book: 'Duino Elegies' }])
    const codeOf = async (...asked: Parameters<typeof call>) => {
      const [status, problem] = await call(...asked)
      return [status, problem['code']]
    }
    assert.deepEqual(await codeOf(loans, { book: 'Duino Elegies' }), [409, 'book_lent'])
    assert.equal((await call(loans, { book: 'Odes' }))[0], 201)
    assert.deepEqual(await codeOf(loans, { book: 'Sonnets' }), [409, 'too_many_loans'])
    assert.deepEqual(await codeOf(loans, { book: '' }), [400, 'invalid_body'])
    assert.deepEqual(await codeOf('/bookshelves/default/prose/loans', { book: 'x' }), [404, 'not_found'])
    assert.equal((await codeOf(loans, { book: 'x' }, 'unbound'))[0], 403)
    assert.deepEqual(await call(loans), [200, { items: [{ book: 'Duino Elegies' }, { book: 'Odes' }] }])
    assert.deepEqual(await runForTest('library count', ['--namespace', 'default'], { env }), {
      code: 0,
      out: '2\n',
      err: '',
    })
  },
)
