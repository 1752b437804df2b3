import assert from 'node:assert/strict'
import { mkdirSync, rmdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { Type } from 'typebox'
import { definePlugin } from '#core/plugin/plugin.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { findSettingsFile } from './find-settings-file.ts'
import { openSettings, originOfSetting, readCoreSettings, readSettings } from './settings.ts'
import { parseYamlText } from './yaml-file.ts'

const audit = definePlugin({
  contract: 1,
  name: 'audit',
  settings: Type.Object({ retentionDays: Type.Integer({ minimum: 1, default: 90 }) }),
  settingsFrom: [{ from: 'AUDIT_RETENTION_DAYS', to: 'retentionDays' }],
  create: () => ({}),
})
const mcp = definePlugin({
  contract: 1,
  name: 'mcp',
  settings: Type.Object({
    enabled: Type.Boolean({ default: true }),
    registration: Type.Union([Type.Literal('open'), Type.Literal('approval')], {
      default: 'open',
      hardenedDefault: 'approval',
    }),
    limits: Type.Object({ servers: Type.Integer({ default: 10 }) }),
  }),
  settingsFrom: [{ from: 'bff.mcp.enabled', to: 'enabled' }],
  create: () => ({}),
})

function read(yaml: string, env: Record<string, string> = {}) {
  return readSettings(parseYamlText(yaml, 'mesh.yaml'), env, [audit, mcp])
}

test('settings: defaults, file, environment and the names of the interface', () => {
  const plain = read('')
  assert.equal(plain.core.profile, 'open')
  assert.equal(plain.core.listen.bff, 8080)
  assert.deepEqual(plain.slices.get('mcp'), { enabled: true, registration: 'open', limits: { servers: 10 } })
  const settings = read(
    'profile: hardened\nlisten:\n  bff: 0\nbff:\n  mcp:\n    enabled: false\nmcp:\n  limits: {servers: 2}\n',
    {
      AUDIT_RETENTION_DAYS: '7',
      MESH_ADMIN_PORT: '9',
      NATS_URL: '',
    },
  )
  assert.deepEqual([settings.core.listen.bff, settings.core.listen.admin, settings.core.natsUrl], [0, 9, undefined])
  assert.deepEqual(settings.slices.get('mcp'), { enabled: false, registration: 'approval', limits: { servers: 2 } })
  assert.deepEqual(settings.slices.get('audit'), { retentionDays: 7 })
})

test('settings: a wrong one refuses to start and is named with its place (A12)', () => {
  const refused = (yaml: string, env: Record<string, string>, message: RegExp) =>
    assert.throws(() => read(yaml, env), message)
  refused('profil: open', {}, /^SettingsError: mesh.yaml:1:1: profil is not a known setting; did you mean profile\?$/)
  refused(
    'bff:\n  mcp:\n    enable: true',
    {},
    /^SettingsError: mesh.yaml:3:5: bff.mcp.enable is not a known setting; did you mean bff.mcp.enabled\?$/,
  )
  refused(
    'mcp:\n  limits:\n    server: 1',
    {},
    /^SettingsError: mesh.yaml:3:5: mcp.limits.server is not a known setting; did you mean mcp.limits.servers\?$/,
  )
  refused('listen:\n  bff: many', {}, /mesh.yaml:2:3: listen.bff must be a whole number from 0 to 65535$/)
  refused('a: 1\na: 2', {}, /mesh.yaml:2:1: Map keys must be unique/)
  refused('install: &x a\nprofile: *x', {}, /aliases are not allowed/)
  refused('a: [', {}, /mesh.yaml:1:/)
  for (const days of ['0', '-1', 'x', '1.5'])
    refused('', { AUDIT_RETENTION_DAYS: days }, /^SettingsError: AUDIT_RETENTION_DAYS must be/)
  for (const bad of ['0', '1', '2147483648', 'x', '5\u0000'])
    refused('', { MESH_DATABASE_CONNECTIONS: bad }, /^SettingsError: MESH_DATABASE_CONNECTIONS must be/)
})

test('PODA24 settings: a value names what it may be, a list item its place, and no value of another setting is quoted', () => {
  const cases: readonly (readonly [string, Record<string, string>, string])[] = [
    ['profile: closed', {}, 'mesh.yaml:1:1: profile must be open or hardened, not "closed"'],
    ['', { MESH_PROFILE: 'closed' }, 'MESH_PROFILE must be open or hardened, not "closed"'],
    ['', { LOG_LEVEL: 'loud' }, 'LOG_LEVEL must be debug, info, warn or error, not "loud"'],
    ['', { MESH_STORE: 'some' }, 'MESH_STORE must be none, not "some"'],
    ['mcp: {registration: clsoed}', {}, 'mesh.yaml:1:7: mcp.registration must be open or approval, not "clsoed"'],
    [
      'disable:\n  - mcp\n  - audti\n',
      {},
      'mesh.yaml:3:5: disable: unknown plugin "audti"; did you mean audit? (plugins: audit, mcp)',
    ],
    ['disable: audit', {}, 'mesh.yaml:1:1: disable must be a list'],
    ['disable: [7]', {}, 'mesh.yaml:1:11: disable[0] must be a string'],
    [
      'listen: {trustProxy: [10.0.0.1, "not an address"]}',
      {},
      'mesh.yaml:1:33: listen.trustProxy[1] must be an IP address or a CIDR block',
    ],
    ['databaseUrl: 5', {}, 'mesh.yaml:1:1: databaseUrl must be a string'],
    ['databaseUrl: [secret]', {}, 'mesh.yaml:1:1: databaseUrl must be a string'],
    ['limits: 5', {}, 'mesh.yaml:1:1: limits must be a mapping'],
    ['', { MESH_ACCESS_LOG: 'yes' }, 'MESH_ACCESS_LOG must be true or false'],
    ['limits: {streams: 4294967296.5}', {}, 'mesh.yaml:1:10: limits.streams must be a whole number, at least 1'],
    [
      `profile: "${'x'.repeat(1 << 20)}"`,
      {},
      `mesh.yaml:1:1: profile must be open or hardened, not "${'x'.repeat(59)}...`,
    ],
    ['profile: "a\\0\\ud800b"', {}, 'mesh.yaml:1:1: profile must be open or hardened, not "a\\u0000\\ud800b"'],
    ['x: 1', {}, 'mesh.yaml:1:1: x is not a known setting'],
    ['databaseUrl: "postgres://u:secret@h\n', {}, 'mesh.yaml:'],
    ['[ '.repeat(20_000), {}, 'mesh.yaml:1:'],
  ]
  for (const [yaml, env, message] of cases)
    assert.throws(
      () => read(yaml, env),
      (error: Error) => {
        assert.ok(
          error.name === 'SettingsError' && error.message.startsWith(message),
          `${error.message} for ${message}`,
        )
        return !error.message.includes('secret')
      },
    )
})

test('UXH2: mesh.yaml of the working folder is read, MESH_CONFIG wins, and a file without effect is an error', (t) => {
  const { path, remove } = tempFolder('settings')
  t.after(remove)
  const at = (name: string): string => join(path, name)
  assert.equal(findSettingsFile({}, path), undefined)
  writeFileSync(at('mesh.yml'), '')
  assert.throws(() => findSettingsFile({}, path), /mesh\.yml is not read: rename it to mesh\.yaml, or set MESH_CONFIG=/)
  symlinkSync(at('gone.yaml'), at('mesh.yaml'))
  assert.equal(findSettingsFile({ MESH_CONFIG: '' }, path), at('mesh.yaml'))
  const opened = (env: Record<string, string>) => openSettings({ env, ...pick(findSettingsFile(env, path)) })
  assert.throws(() => opened({}), /mesh\.yaml: the settings file cannot be read: there is no such file$/)
  rmSync(at('mesh.yaml'))
  mkdirSync(at('mesh.yaml'))
  assert.throws(() => opened({}), /mesh\.yaml: the settings file cannot be read: it is a folder$/)
  rmdirSync(at('mesh.yaml'))
  writeFileSync(at('mesh.yaml'), Buffer.from([0xff, 0xfe, 0]))
  assert.throws(() => opened({}), /mesh\.yaml: the settings file is not UTF-8 text$/)
  writeFileSync(at('mesh.yaml'), 'install: here\ndatabaseUrl: postgres://h/d\n')
  writeFileSync(at('other.yaml'), 'install: other\n')
  const install = (env: Record<string, string>): string => readCoreSettings(opened(env), env).install
  assert.equal(install({}), 'here')
  assert.equal(install({ MESH_CONFIG: at('other.yaml') }), 'other')
  const file = opened({})
  assert.equal(originOfSetting(file, {}, 'databaseUrl'), `${at('mesh.yaml')}:2:1: databaseUrl`)
  assert.equal(originOfSetting(file, { DATABASE_URL: 'x' }, 'databaseUrl'), 'DATABASE_URL')
})

function pick(file: string | undefined): { file?: string } {
  return file === undefined ? {} : { file }
}

test('settings: cluster.namespaces is a list of names, from the file or the environment; anything else refuses to start', () => {
  assert.deepEqual(read('').core.cluster.namespaces, [])
  assert.deepEqual(read('', { MESH_CLUSTER_NAMESPACES: '' }).core.cluster.namespaces, [], 'not set')
  assert.deepEqual(read('', { MESH_CLUSTER_NAMESPACES: 'team-b, team-a' }).core.cluster.namespaces, [
    'team-b',
    'team-a',
  ])
  assert.deepEqual(read('cluster: {namespaces: [team-a]}').core.cluster.namespaces, ['team-a'])
  const longest = 'a'.repeat(63)
  assert.deepEqual(read('', { MESH_CLUSTER_NAMESPACES: longest }).core.cluster.namespaces, [longest])
  const many = Array.from({ length: 10_000 }, (_, index) => `n${index}`).join(',')
  for (const bad of [
    ' ',
    ',',
    'a,',
    'a,a',
    'A',
    '*',
    'a*',
    `${longest}a`,
    'a\u0000',
    '-a',
    'a-',
    'a.b',
    'a b',
    '../x',
    'ä',
    '\ud800',
    many,
  ])
    assert.throws(
      () => read('', { MESH_CLUSTER_NAMESPACES: bad }),
      /^SettingsError: .*(?:MESH_CLUSTER_NAMESPACES|cluster\.namespaces)/,
      JSON.stringify(bad).slice(0, 50),
    )
  for (const bad of ["''", '[""]', '{a: b}', 'team-a', '[1]', '[null]', '[a, a]'])
    assert.throws(
      () => read(`cluster:\n  namespaces: ${bad}`),
      /^SettingsError: mesh.yaml:2:.*cluster\.namespaces/,
      bad,
    )
})
