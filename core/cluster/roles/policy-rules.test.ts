import assert from 'node:assert/strict'
import test from 'node:test'
import { parseAllDocuments } from 'yaml'
import type { AccessRule } from './access-rule.ts'
import { toManifest } from './manifest.ts'
import { policyRules } from './policy-rules.ts'
import { completeRoles, pluginRoles, shippedRoles } from './role-objects.ts'

const access: readonly AccessRule[] = [
  { resource: 'runs', viewer: ['list', 'get'], developer: ['create'] },
  { resource: 'plans', viewer: ['get', 'list'], developer: ['create'] },
  { resource: 'auditlogs', operator: ['list'] },
  { group: '', resource: 'pods', manager: ['watch', 'get'] },
  { group: '', resource: 'pods', manager: ['get', 'list'] },
  { group: '', resource: 'pods', reason: 'Why it is deleted.', manager: ['delete'] },
]

test('a persona has what the weaker ones have, an account only its own', () => {
  assert.deepEqual(policyRules('viewer', access), [
    { apiGroups: ['mesh.dev'], resources: ['runs', 'plans'], verbs: ['get', 'list'] },
  ])
  assert.deepEqual(policyRules('operator', access), [
    { apiGroups: ['mesh.dev'], resources: ['runs', 'plans'], verbs: ['get', 'list', 'create'] },
    { apiGroups: ['mesh.dev'], resources: ['auditlogs'], verbs: ['list'] },
  ])
  assert.deepEqual(policyRules('worker', access), [])
})

test('rules of one resource are merged, except those with a reason of their own', () => {
  assert.deepEqual(policyRules('manager', access), [
    { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch'] },
    { apiGroups: [''], resources: ['pods'], verbs: ['delete'], reason: 'Why it is deleted.' },
  ])
})

test('a reason is the comment of its rule and no field of the role', () => {
  const text = toManifest(shippedRoles('manager', access), 'Header.')
  assert.match(text, /^# Header\.\napiVersion: rbac/)
  assert.match(
    text,
    /\n {2}# Why it is deleted\.\n {2}- apiGroups: \[''\]\n {4}resources: \[pods\]\n {4}verbs: \[delete\]\n/,
  )
  const [role, binding] = parseAllDocuments(text).map((one) => one.toJS() as { rules?: object[]; subjects?: object[] })
  assert.deepEqual(Object.keys(role?.rules?.[1] ?? {}), ['apiGroups', 'resources', 'verbs'])
  assert.deepEqual(binding?.subjects, [{ kind: 'ServiceAccount', name: 'mesh-manager', namespace: 'mesh-system' }])
})

test('roles of a plugin are aggregated into the shipped personas and bound to the accounts', () => {
  const roles = pluginRoles('acme', [
    { group: 'acme.example', resource: 'widgets', viewer: ['get'], manager: ['watch'] },
  ])
  assert.deepEqual(
    roles.map(({ kind, metadata }) => `${kind} ${metadata.name}`),
    [
      'ClusterRole mesh-plugin-acme-viewer',
      'ClusterRole mesh-plugin-acme-developer',
      'ClusterRole mesh-plugin-acme-operator',
      'ClusterRole mesh-plugin-acme-manager',
      'ClusterRoleBinding mesh-plugin-acme-manager',
    ],
  )
  for (const persona of ['viewer', 'developer', 'operator'] as const) {
    const [shipped, base] = shippedRoles(persona, access)
    const rule = shipped?.['aggregationRule'] as { clusterRoleSelectors: { matchLabels: object }[] }
    const own = roles.find(({ metadata }) => metadata.name === `mesh-plugin-acme-${persona}`)
    // The controller replaces the rules of the aggregated role by those of the selected ones: here by the same.
    assert.deepEqual(rule.clusterRoleSelectors, [{ matchLabels: own?.metadata.labels }])
    assert.deepEqual([base?.metadata.labels, base?.rules], [own?.metadata.labels, shipped?.rules])
  }
  assert.ok(completeRoles(access).every((role) => role['aggregationRule'] === undefined))
})
