import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Compile } from 'typebox/schema'
import { parse } from 'yaml'
import { openSettings, readSettings } from '#core/config/settings.ts'
import { plugins } from '#plugins/index.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { coreSettingSources } from '#core/config/setting-source.ts'
import { settingRows } from '../../scripts/settings/setting-row.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const schema = JSON.parse(readFileSync(join(root, 'docs/reference/mesh-yaml.schema.json'), 'utf8')) as object
const checker = Compile(schema as never)

const accepted = [
  'profile: hardened',
  'audit:',
  'listen: {bff: 0, trustProxy: [10.244.0.0/16]}',
  'cluster: {namespaces: [team-a, team-b]}',
  'limits: {streams: 3}\nruns: {retentionDays: 1}',
  'agents: {launcherResources: {limits: {cpu: "1"}}, podAnnotations: []}',
  'listen: {managerTls: {certFile: /a, keyFile: /b}}',
]

const refused = [
  'profle: open',
  'profile: closed',
  'listen: {bff: "8080"}',
  'listen: {bff: 65536}',
  'listen: {port: 1}',
  'listen: {managerTls: {certFile: /a}}',
  'audit: {retentionDays: 0}',
  'audit: {days: 1}',
  'runs: 5',
  'agents: {egress: none}',
  'agents: {agentUser: 65532}',
  'cluster: {namespaces: [Team]}',
  'databaseConnections: 1.5',
]

for (const text of [...accepted, ...refused])
  test(`UXH6: the schema of mesh.yaml and the platform agree on ${JSON.stringify(text)}`, (t) => {
    assert.deepEqual(verdicts(t, text), { schema: accepted.includes(text), platform: accepted.includes(text) })
  })

test('UXH6: the shipped mesh.yaml files name the schema and conform to it', () => {
  for (const profile of ['open', 'hardened']) {
    const text = readFileSync(join(root, 'deploy/overlays', profile, 'mesh.yaml'), 'utf8')
    const [, path = ''] = /^# yaml-language-server: \$schema=(\S+)$/m.exec(text) ?? []
    assert.equal(join(root, 'deploy/overlays', profile, path), join(root, 'docs/reference/mesh-yaml.schema.json'))
    assert.ok(checker.Check(parse(text)))
  }
})

test('a key of a third-party plugin is accepted beside `plugins`', () => {
  assert.ok(checker.Check(parse('plugins: [./greeter.ts]\ngreeter: {greeting: good day}')))
})

test('UXH6: the reference of settings has each variable, and no setting without a sentence', () => {
  const page = readFileSync(join(root, 'docs/reference/settings.md'), 'utf8')
  const sources = [...coreSettingSources, ...plugins.flatMap(({ settingsFrom = [] }) => settingsFrom)]
  assert.deepEqual(
    sources.filter(({ from }) => !page.includes(`| \`${from}\` |`)).map(({ from }) => from),
    [],
  )
  assert.throws(() => settingRows({ properties: { silent: { type: 'string' } } }, []), /silent has no description/)
})

function verdicts(t: TestContext, text: string): { schema: boolean; platform: boolean } {
  const folder = tempFolder('settings')
  t.after(folder.remove)
  const file = join(folder.path, 'mesh.yaml')
  writeFileSync(file, text)
  return { schema: checker.Check(parse(text)), platform: isRead(file) }
}

function isRead(file: string): boolean {
  try {
    readSettings(openSettings({ env: {}, file }), {}, plugins)
    return true
  } catch {
    return false
  }
}
