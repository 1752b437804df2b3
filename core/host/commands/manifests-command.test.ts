import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { Type } from 'typebox'
import { parseAllDocuments } from 'yaml'
import { crud } from '#core/plugin/crud.ts'
import { definePlugin } from '#core/plugin/plugin.ts'
import { defineKind } from '#schemas/kinds/kind.ts'
import { needs } from '#test/harness/find-server.ts'
import { sharedKube } from '#test/harness/kube.ts'
import { kubectl } from '#test/harness/kubectl.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { runForTest } from '../testing/run-command.ts'

const Sample = defineKind({
  kind: 'BuiltInSample',
  plural: 'builtinsamples',
  description: 'A kind of the platform.',
  spec: Type.Object({ size: Type.Integer({ description: 'Size.' }) }, { description: 'A sample.' }),
})

const builtIn = definePlugin({
  contract: 1,
  name: 'sample',
  settings: Type.Object({}),
  kinds: [crud(Sample, { verbs: [], sample: { size: 1 } })],
  create: () => ({}),
})

const acme = `import * as mesh from '@mesh.dev/mesh/plugin'
export default mesh.definePlugin({
  contract: 1,
  name: 'acme',
  settings: mesh.Type.Object({}),
  access: [{ group: '', resource: 'podtemplates', reason: 'Cogs are listed there.', manager: ['get', 'create'] }],
  kinds: [mesh.crud(mesh.defineKind({
    group: 'acme.example', kind: 'ManifestCog', plural: 'manifestcogs', description: 'A cog.',
    spec: mesh.Type.Object({ teeth: mesh.Type.Integer({ minimum: 1, maximum: 99, description: 'Teeth.' }) }, { description: 'A cog.' }),
  }), { verbs: ['list', 'create'], sample: { teeth: 7 } })],
  create: () => ({}),
})
`

const withStored = acme.replace(
  'export default mesh.definePlugin({',
  `const tooth = mesh.defineStored({
    domain: 'com.acme', plugin: 'acme', kind: 'Tooth', plural: 'teeth', description: 'A tooth.',
    fields: mesh.Type.Object({ size: mesh.Type.Integer() }), sample: { size: 1 },
  })
  export default mesh.definePlugin({ stored: [mesh.storeCrud(tooth)],`,
)

/** A plugin with a stored resource, changed in one place. */
const stored = (from: string, to: string): string => withStored.replace(from, to)

async function run(t: TestContext, args: readonly string[], plugin = acme) {
  const folder = tempFolder('manifests')
  t.after(folder.remove)
  await writeFile(join(folder.path, 'acme.mjs'), plugin)
  const file = join(folder.path, 'mesh.yaml')
  await writeFile(file, 'plugins: [./acme.mjs]\n')
  return runForTest('manifests', args, { env: { MESH_CONFIG: file }, plugins: [builtIn] })
}

const namesOf = (text: string) =>
  parseAllDocuments(text).map((one) => {
    const { kind, metadata } = one.toJS() as { kind: string; metadata: { name: string } }
    return `${kind} ${metadata.name}`
  })

const added = [
  'CustomResourceDefinition manifestcogs.acme.example',
  ...['viewer', 'developer', 'operator', 'manager'].map((role) => `ClusterRole mesh-plugin-acme-${role}`),
  'ClusterRoleBinding mesh-plugin-acme-manager',
]

test('mesh manifests prints the CRDs and roles of all plugins, or of third parties only', async (t) => {
  const all = await run(t, [])
  assert.deepEqual([all.code, all.err], [0, ''])
  const names = namesOf(all.out)
  for (const name of [...added, 'CustomResourceDefinition builtinsamples.mesh.dev', 'ClusterRole mesh-viewer'])
    assert.ok(names.includes(name), name)
  const third = await run(t, ['--third-party'])
  assert.deepEqual(namesOf(third.out), added)
  assert.match(third.out, /# Cogs are listed there\.\n/)
})

test('mesh manifests names the argument, the plugin or the file that is wrong', async (t) => {
  for (const args of [['more'], ['--other'], ['\0\ud800'], ['--third-party=x']]) {
    const { code, out, err } = await run(t, args)
    assert.deepEqual([code, out], [2, ''], JSON.stringify(args))
    assert.match(err, /usage: mesh manifests/)
  }
  for (const [plugin, message] of [
    [
      acme.replace('acme.example', 'mesh.dev'),
      /plugin \.\/acme\.mjs \(.*acme\.mjs:2:\d+\): kinds\[0\]: the group "mesh\.dev" must be a DNS name/,
    ],
    [acme.replace("'get', 'create'", "'*'"), /access\[0\]\.manager must be a list of verbs/],
    [acme.replace("resource: 'podtemplates'", "resource: '*'"), /access\[0\]\.resource must be a plural/],
    [acme.replace('manager:', 'admin:'), /access\[0\]\.admin is not a role/],
    [
      acme.replace('ManifestCog', 'BuiltInSample'),
      /plugin sample and plugin acme \(.*acme\.mjs:2:\d+\) both have the kind BuiltInSample/,
    ],
    [acme.replace('sample: { teeth: 7 }', ''), /crud: sample must be the spec of a valid object/],
    [acme.replace("plural: 'manifestcogs'", "plural: '../x'"), /defineKind: plural must be lowercase/],
    [acme.replace('kinds: [mesh', 'kinds: [{}, mesh'), /kinds\[0\] must be built by crud/],
    [acme.replace('  kinds: [', '  stored: {},\n  kinds: ['), /stored must be a list/],
    [acme.replace('  kinds: [', '  stored: [{}],\n  kinds: ['), /stored\[0\] must be built by storeCrud/],
    [stored("domain: 'com.acme'", "domain: 'acme'"), /acme: must be a reverse DNS name/],
    [stored("domain: 'com.acme', ", ''), /defineStored: domain must be a string/],
    [stored("domain: 'com.acme'", "domain: 'dev.mesh.acme'"), /its event dev\.mesh\..* must have a reverse DNS name/],
    [stored("plugin: 'acme'", "plugin: 'other'"), /its event com\.acme\.other\..* must name the plugin acme/],
    [stored("kind: 'Tooth'", "kind: 'tooth'"), /stored resource teeth: kind must be in PascalCase/],
    [stored("plural: 'teeth'", "plural: '../x'"), /plural must be lowercase letters and digits/],
    [stored('fields: mesh.Type.Object({ size: mesh.Type.Integer() })', 'fields: {}'), /defineStored: fields must be/],
    [stored('sample: { size: 1 }', 'sample: 1'), /defineStored: sample must be/],
    [stored('size: mesh', 'version: mesh'), /fields\.version is a field of every object/],
    [stored('mesh.storeCrud(tooth)', 'mesh.storeCrud()'), /storeCrud: the first argument must be/],
    [stored('mesh.storeCrud(tooth)', 'mesh.storeCrud(tooth, 1)'), /storeCrud: the second argument must be/],
    [
      stored('mesh.storeCrud(tooth)', 'mesh.storeCrud(tooth), mesh.storeCrud(tooth)'),
      /declares the event com\.acme\.acme\.tooth-created\.v1 twice/,
    ],
  ] as const) {
    const { code, out, err } = await run(t, [], plugin)
    assert.deepEqual([code, out], [1, ''], err)
    assert.match(err, message)
  }
})

test(
  'kube-apiserver accepts what mesh manifests prints, and the manager may watch the kind',
  needs('etcd', 'kube-apiserver', 'kubectl'),
  async (t) => {
    const kube = await sharedKube(t)
    const config = kube.kubeconfig(kube.tokens['admin'] ?? '')
    const { out } = await run(t, ['--third-party'])
    t.after(() => kubectl(config, ['delete', '-f', '-', '--ignore-not-found', '--wait=false'], out))
    for (const round of [1, 2]) {
      const applied = await kubectl(config, ['apply', '--server-side', '-f', '-'], out)
      assert.equal(applied.code, 0, `${round}: ${applied.stderr}`)
    }
    const account = '--as=system:serviceaccount:mesh-system:mesh-manager'
    const may = async (verb: string, resource: string) =>
      (await kubectl(config, ['auth', 'can-i', verb, resource, account])).stdout.trim()
    assert.deepEqual(
      [
        await may('watch', 'manifestcogs.acme.example'),
        await may('create', 'manifestcogs.acme.example'),
        await may('create', 'podtemplates'),
        await may('delete', 'podtemplates'),
      ],
      ['yes', 'no', 'yes', 'no'],
    )
  },
)
