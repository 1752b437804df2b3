import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { parse } from 'yaml'
import type { KubeObject } from '#core/kube/client.ts'
import { createKubeClient } from '#core/kube/create-client.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import { createPool } from '#core/kube/connection-pool.ts'
import { needs } from '#test/harness/find-server.ts'
import { sharedKube } from '#test/harness/kube.ts'
import { kubectl } from '#test/harness/kubectl.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { plugins } from '#plugins/index.ts'
import { runForTest } from '../testing/run-command.ts'

const servers = needs('kube-apiserver', 'etcd', 'kubectl')
const secrets = { group: '', version: 'v1', plural: 'secrets', kind: 'Secret', namespaced: true }
let count = 0

const run = (kind: 'init' | 'rotate', args: readonly string[], env: Record<string, string> = {}) =>
  runForTest(`keys ${kind}`, args, { env, plugins })

async function setUp(t: TestContext) {
  const kube = await sharedKube(t)
  const config = kube.kubeconfig(kube.tokens['admin'] ?? '')
  const pool = createPool(kube.url, { ca: kube.ca })
  t.after(() => pool.close())
  const admin = createKubeClient({ server: kube.url, pool, bearer: kube.tokens['admin'] ?? '' })
  const namespace = parseLabel('namespace', `keys-${process.pid}-${(count += 1)}`)
  const namespaces = { group: '', version: 'v1', plural: 'namespaces', kind: 'Namespace', namespaced: false }
  await admin.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
  const dataOf = async (role: string) =>
    ((await admin.get(secrets, { namespace, name: parseName('name', `mesh-keys-${role}`) }))['data'] ?? {}) as Record<
      string,
      string
    >
  const all = async () =>
    Object.fromEntries<Record<string, string>>(
      await Promise.all(
        ['bff', 'gateway', 'manager', 'state', 'worker'].map(async (role) => [role, await dataOf(role)] as const),
      ),
    )
  const command = (kind: 'init' | 'rotate', ...args: string[]) =>
    run(kind, ['--namespace', namespace, ...args], { KUBECONFIG: config })
  return { admin, namespace, config, dataOf, all, command }
}

test(
  'PODA15: init makes the Secrets once; a second one, and one after a loss, keep what is there',
  servers,
  async (t) => {
    const { admin, namespace, all, dataOf, command } = await setUp(t)
    const first = await command('init')
    assert.deepEqual([first.code, first.err], [0, ''])
    assert.match(first.out, /mesh-keys-bff created/)
    const made = await all()
    const names = (data: Record<string, string>) =>
      [...new Set(Object.keys(data).map((file) => file.replace(/-.*\./, '.')))].toSorted()
    assert.deepEqual(Object.values(made).map(names), [
      ['account.pub', 'cursor.key', 'grant.key', 'kek.key'],
      ['account.pub', 'grant.key', 'launcher.pub'],
      ['account.key', 'grant.pub', 'kek.key'],
      ['account.pub', 'attempt.pub', 'grant.key', 'kek.key', 'launcher.key'],
      ['account.pub', 'attempt.key', 'grant.pub', 'launcher.pub'],
    ])
    const second = await command('init')
    assert.match(second.out, /mesh-keys-state unchanged[^]*nothing to change/)
    assert.deepEqual(await all(), made)
    // Other roles have all keys of the gateway.
    await admin.delete(secrets, { namespace, name: parseName('name', 'mesh-keys-gateway') })
    assert.match((await command('init')).out, /mesh-keys-gateway created/)
    assert.deepEqual(await dataOf('gateway'), made['gateway'])
  },
)

test('PODA15: rotate publishes a key everywhere; a second call within the hour changes nothing', servers, async (t) => {
  const { admin, namespace, all, command } = await setUp(t)
  await command('init')
  const before = await all()
  assert.match((await command('rotate')).out, /nothing to change/)
  assert.deepEqual(await all(), before)
  // Of a plugin that this command does not load.
  const foreign = { 'acme.hooks-0mabcdefg00000000.key': Buffer.from('x').toString('base64') }
  const ref = { namespace, name: parseName('name', 'mesh-keys-worker') }
  await admin.patch(secrets, ref, { type: 'merge', body: { data: foreign } })
  assert.match((await command('rotate', '--force')).out, /mesh-keys-worker updated[^]*6 keys made, 0 removed/)
  const after = await all()
  assert.equal(after['worker']?.['acme.hooks-0mabcdefg00000000.key'], foreign['acme.hooks-0mabcdefg00000000.key'])
  const ids = (data: Record<string, string> | undefined, name: string) =>
    Object.keys(data ?? {})
      .filter((file) => file.startsWith(`${name}-`))
      .map((file) => file.replace(/\.(key|pub)$/, ''))
      .toSorted()
  for (const [role, name] of [
    ['bff', 'grant'],
    ['gateway', 'grant'],
    ['state', 'grant'],
    ['state', 'attempt'],
    ['worker', 'attempt'],
    ['gateway', 'launcher'],
    ['state', 'launcher'],
    ['worker', 'launcher'],
  ] as const) {
    assert.equal(ids(after[role], name).length, 3, `${role} ${name}`)
    for (const id of ids(before[role], name)) assert.ok(ids(after[role], name).includes(id), 'the keys of before stay')
  }
  assert.deepEqual(ids(after['state'], 'attempt'), ids(after['worker'], 'attempt'))
})

test(
  'PODA7: --output prints what kubectl applies and writes nothing; it reads the cluster first',
  servers,
  async (t) => {
    const { all, namespace, config, command } = await setUp(t)
    const printed = await command('init', '--output', 'yaml')
    assert.equal(printed.code, 0, printed.err)
    await assert.rejects(all(), /not found/)
    const list = parse(printed.out) as { items: readonly KubeObject[] }
    assert.deepEqual(
      list.items.map(({ metadata }) => metadata.namespace),
      Array<string>(5).fill(namespace),
    )
    const applied = await kubectl(config, ['apply', '-f', '-'], printed.out)
    assert.equal(applied.code, 0, applied.stderr)
    const made = await all()
    const again = JSON.parse((await command('init', '--output', 'json')).out) as { items: readonly KubeObject[] }
    const data = Object.fromEntries(
      again.items.map((one) => [one.metadata.name.replace('mesh-keys-', ''), one['data']]),
    )
    assert.deepEqual(data, made)
  },
)

test('PODA15: a folder takes the place of the cluster; wrong arguments and a missing cluster are named', async (t) => {
  const folder = tempFolder('keys-folder')
  t.after(folder.remove)
  const dir = join(folder.path, 'keys')
  assert.match((await run('init', ['--dir', dir])).out, /12 keys made/)
  assert.match((await run('init', ['--dir', dir])).out, /nothing to change/)
  const files = readdirSync(dir)
  assert.match((await run('rotate', ['--dir', dir, '--force', '--revoke'])).out, /6 keys made, 6 removed/)
  assert.equal(readdirSync(dir).filter((file) => files.includes(file)).length, 6)
  for (const args of [['--output', 'xml'], ['--force'], ['extra'], ['--unknown']]) {
    const { code, err } = await run('init', args)
    assert.deepEqual([code, /usage: mesh keys init/.test(err)], [2, true], args.join(' '))
  }
  const lost = await run('init', [])
  assert.deepEqual([lost.code, lost.err], [1, 'mesh: no cluster: set KUBECONFIG, or MESH_CLUSTER_SERVER\n'])
})
