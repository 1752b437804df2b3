import assert from 'node:assert/strict'
import test from 'node:test'
import { Type } from 'typebox'
import { definePlugin } from '#core/host/plugin.ts'
import { readSettings } from './settings.ts'
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
  const told = read(
    'profile: hardened\nlisten:\n  bff: 0\nbff:\n  mcp:\n    enabled: false\nmcp:\n  limits: {servers: 2}\n',
    {
      AUDIT_RETENTION_DAYS: '7',
      MESH_ADMIN_PORT: '9',
      NATS_URL: '',
    },
  )
  assert.deepEqual([told.core.listen.bff, told.core.listen.admin, told.core.natsUrl], [0, 9, undefined])
  assert.deepEqual(told.slices.get('mcp'), { enabled: false, registration: 'approval', limits: { servers: 2 } })
  assert.deepEqual(told.slices.get('audit'), { retentionDays: 7 })
})

test('settings: a wrong one refuses to start and is named with its place (A12)', () => {
  const refused = (yaml: string, env: Record<string, string>, message: RegExp) =>
    assert.throws(() => read(yaml, env), message)
  refused('profil: open', {}, /^SettingsError: mesh.yaml:1:1: profil is not a known setting$/)
  refused('bff:\n  mcp:\n    enable: true', {}, /^SettingsError: mesh.yaml:3:5: bff.mcp.enable is not a known setting$/)
  refused(
    'mcp:\n  limits:\n    server: 1',
    {},
    /^SettingsError: mesh.yaml:3:5: mcp.limits.server is not a known field$/,
  )
  refused('listen:\n  bff: many', {}, /^SettingsError: mesh.yaml:2:3: listen.bff must be integer$/)
  refused('a: 1\na: 2', {}, /mesh.yaml:2:1: Map keys must be unique/)
  refused('install: &x a\nprofile: *x', {}, /aliases are not allowed/)
  refused('a: [', {}, /mesh.yaml:1:/)
  refused('disable: [nobody]', {}, /there is no plugin "nobody"/)
  for (const days of ['0', '-1', 'x', '1.5'])
    refused('', { AUDIT_RETENTION_DAYS: days }, /^SettingsError: AUDIT_RETENTION_DAYS must be/)
})
