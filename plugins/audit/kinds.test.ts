import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { parseAllDocuments } from 'yaml'
import { changesOf, readFields } from '#core/controllers/objects/audited-fields.ts'
import { coreInformers, informersOf, kindsOf, resourceNamesOf } from '#core/plugin/access-of-plugins.ts'
import { plugins } from '#plugins/index.ts'
import { McpToolBinding } from '#schemas/crds/mcp-tool-binding.ts'
import { ModelProvider } from '#schemas/crds/model-provider.ts'
import { toAuditRow } from './rows/audit-row.ts'
import { descriptors, seen, stored } from './testing/rig.ts'

interface Role {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly rules?: readonly { readonly apiGroups: string[]; readonly resources: string[]; readonly verbs: string[] }[]
}

test('PODA5, UXM15: every kind of the platform has an informer, and the manager may get, list and watch each', () => {
  const followed = [...coreInformers, ...plugins.flatMap(informersOf)]
  const kinds = kindsOf(plugins).map(({ kind }) => kind)
  for (const kind of ['AgentDeployment', 'AgentTemplate', 'ModelProvider', 'ModelRoute', 'Tenant'])
    assert.ok(kinds.includes(kind), kind)
  assert.deepEqual(followed.map(({ resourceKind }) => resourceKind).toSorted(), [...kinds, 'Namespace'].toSorted())
  const file = new URL('../../deploy/rbac/manager.yaml', import.meta.url)
  const roles = parseAllDocuments(readFileSync(file, 'utf8')).map((document): Role => document.toJS())
  const rules =
    roles.find(({ kind, metadata }) => kind === 'ClusterRole' && metadata.name === 'mesh-manager')?.rules ?? []
  const lacking = followed.flatMap(({ resource: { group, plural } }) =>
    ['get', 'list', 'watch']
      .filter(
        (verb) =>
          !rules.some(
            (rule) => rule.apiGroups.includes(group) && rule.resources.includes(plural) && rule.verbs.includes(verb),
          ),
      )
      .map((verb) => `${verb} ${plural}`),
  )
  assert.deepEqual(lacking, [])
})

test('PODA5: an update shows old and new values of the audited fields, and of no other', () => {
  const provider = (spec: object) => ({ apiVersion: 'x', kind: 'ModelProvider', metadata: { name: 'p' }, spec })
  const { audited } = ModelProvider
  const before = readFields(
    provider({ type: 'openai', baseUrl: 'https://a.example/v1', secretRef: { name: 's', key: 'k' } }),
    audited,
  )
  const after = readFields(
    provider({ type: 'openai', baseUrl: 'https://b.example/v1', timeout: '5s', mock: { script: ['sk-canary'] } }),
    audited,
  )
  const changes = changesOf(before, after)
  assert.deepEqual(changes, {
    baseUrl: { from: 'https://a.example/v1', to: 'https://b.example/v1' },
    'secretRef.key': { from: 'k' },
    'secretRef.name': { from: 's' },
    timeout: { to: '5s' },
  })
  const row = toAuditRow(stored(seen('update', '7', 'u-1', { changes })), descriptors)
  assert.deepEqual(row?.detail['changes'], changes)
  assert.equal(changesOf(before, before), undefined)
  assert.equal(changesOf(undefined, after), undefined)
})

test('PODA5: an update shows lists of audited fields, such as the tools that need an approval', () => {
  const { audited } = McpToolBinding
  const fieldsOf = (spec: object) =>
    readFields({ apiVersion: 'x', kind: 'McpToolBinding', metadata: { name: 'b' }, spec } as never, audited)
  const before = fieldsOf({ allow: ['find', 'close'], requireApproval: ['*'], allowedNamespaces: ['a b'] })
  const long = Array.from({ length: 300 }, (_, index) => `tool-${index}`)
  const changes = changesOf(before, fieldsOf({ allow: long, requireApproval: [] }))
  const row = toAuditRow(stored(seen('update', '7', 'u-1', { changes })), descriptors)
  const shown = row?.detail['changes'] as Record<string, { from?: string; to?: string }>
  assert.deepEqual(shown['requireApproval'], { from: '["*"]', to: '[]' })
  assert.equal(shown['allow']?.from, '["find","close"]')
  assert.match(String(shown['allow']?.to), /^sha256:[0-9a-f]{64}$/)
  assert.match(String(shown['allowedNamespaces']?.from), /^sha256:[0-9a-f]{64}$/)
})

test('A8: the detail contains only fields with plain values', () => {
  const changes = {
    'spec key sk-canary': { to: 'x' },
    model: { to: 'two words sk-canary', other: 'sk-canary' },
    retries: { from: 1, to: {} },
  }
  const row = toAuditRow(stored(seen('update', '7', 'u-1', { changes })), descriptors)
  assert.deepEqual(row?.detail['changes'], { model: { to: 'redacted' }, retries: { from: 1, to: 'redacted' } })
  const odd = readFields(
    {
      apiVersion: 'x',
      kind: 'x',
      metadata: { name: 'x' },
      spec: { a: 'line\nline', b: 'x'.repeat(3000), c: {}, d: 1 },
    } as never,
    ['a', 'b', 'c', 'd', '__proto__.x'],
  )
  assert.deepEqual(odd, { d: 1 })
})

test('CON12: a resource in rights and its objects have the same kind', () => {
  assert.deepEqual(
    ['modelproviders', 'agentdeployments/invoke', 'runs/fixture', 'promptversions'].map(
      resourceNamesOf(plugins).kindOf,
    ),
    ['ModelProvider', 'AgentDeployment', 'Run', 'PromptVersion'],
  )
})
