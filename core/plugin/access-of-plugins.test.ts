import assert from 'node:assert/strict'
import test from 'node:test'
import { Type } from 'typebox'
import { policyRules } from '#core/cluster/roles/policy-rules.ts'
import { defineKind } from '#schemas/kinds/kind.ts'
import { accessOfPlugins, informersOf, resourceNamesOf } from './access-of-plugins.ts'
import { crud } from './crud.ts'
import type { CrudOptions } from './crud.ts'
import { definePlugin } from './plugin.ts'

const Widget = defineKind({
  group: 'acme.example',
  kind: 'Widget',
  plural: 'widgets',
  description: 'A widget.',
  spec: Type.Object({ size: Type.Integer() }),
  audited: ['size'],
})

const pluginOf = (options: Partial<CrudOptions> = {}) =>
  definePlugin({
    contract: 1,
    name: 'acme',
    settings: Type.Object({}),
    kinds: [crud(Widget, { verbs: ['list', 'get', 'create'], sample: { size: 1 }, ...options })],
    create: () => ({}),
  })

const rulesOf = (role: 'viewer' | 'developer' | 'operator' | 'manager', plugin: ReturnType<typeof pluginOf>) =>
  policyRules(role, accessOfPlugins([plugin])).map(
    ({ apiGroups, resources, verbs }) => `${apiGroups.join()} ${resources.join()}: ${verbs.join(' ')}`,
  )

test('CON4: the rights of the manager follow from informers', () => {
  const reviews = 'authorization.k8s.io subjectaccessreviews: create'
  const namespaces = ' namespaces: get list watch'
  assert.deepEqual(rulesOf('manager', pluginOf()), [reviews, namespaces, 'acme.example widgets: get list watch'])
  const informers = [{ resource: { ...Widget, group: 'other.example', plural: 'cogs' }, resourceKind: 'Cog' }]
  const watching = definePlugin({ contract: 1, name: 'cogs', settings: Type.Object({}), informers, create: () => ({}) })
  assert.deepEqual(rulesOf('manager', watching as never), [reviews, namespaces, 'other.example cogs: get list watch'])
})

test('the rights of people follow from the set of personas', () => {
  const all = 'acme.example widgets: get list watch create update patch delete'
  assert.deepEqual(rulesOf('viewer', pluginOf()), ['acme.example widgets: get list watch'])
  assert.deepEqual(rulesOf('developer', pluginOf()), [all])
  const operators = pluginOf({ personas: 'operators' })
  assert.deepEqual([rulesOf('developer', operators), rulesOf('operator', operators)], [[], [all]])
  const own = pluginOf({ personas: [{ group: 'acme.example', resource: 'widgets', viewer: ['get'] }] })
  assert.deepEqual(rulesOf('operator', own), ['acme.example widgets: get'])
})

test('a kind brings its routes, informer and sample', () => {
  const [slot] = pluginOf().kinds ?? []
  assert.deepEqual(
    slot?.endpoints.map(({ method, url, authz }) => [method, url, 'resource' in authz && authz.resource]),
    [
      ['GET', '/widgets', 'widgets.acme.example'],
      ['GET', '/widgets/:ns/:name', 'widgets.acme.example'],
      ['POST', '/widgets', 'widgets.acme.example'],
    ],
  )
  assert.deepEqual(informersOf(pluginOf())[0]?.audited, ['size'])
  assert.deepEqual(slot?.sample, {
    apiVersion: 'acme.example/v1alpha1',
    kind: 'Widget',
    metadata: { name: 'sample', namespace: 'default' },
    spec: { size: 1 },
  })
})

test('CON12: a resource in rights has the kind that its declaration names', () => {
  const { kindOf, nounOf } = resourceNamesOf([pluginOf()])
  assert.deepEqual(['widgets', 'widgets.acme.example', 'widgets/status', 'toString'].map(kindOf), [
    'Widget',
    'Widget',
    'Widget',
    'toString',
  ])
  assert.deepEqual([nounOf('widgets'), nounOf('cogs')], ['widget', undefined])
  assert.equal(resourceNamesOf([pluginOf({ noun: 'BigWidget' })]).nounOf('widgets'), 'BigWidget')
})
