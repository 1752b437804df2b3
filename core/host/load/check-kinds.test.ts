import assert from 'node:assert/strict'
import test from 'node:test'
import { Type } from 'typebox'
import { crud } from '#core/plugin/crud.ts'
import { definePlugin } from '#core/plugin/plugin.ts'
import { defineKind } from '#schemas/kinds/kind.ts'
import { checkKinds } from './check-kinds.ts'

const kindOf = (kind: string, plural: string) =>
  defineKind({
    group: 'acme.example',
    kind,
    plural,
    description: 'A kind.',
    spec: Type.Object({}),
  })

const plugin = (name: string, kind: string, plural: string, sample: unknown = {}) =>
  definePlugin({
    contract: 1,
    name,
    settings: Type.Object({}),
    kinds: [crud(kindOf(kind, plural), { verbs: [], sample: sample as object })],
    create: () => ({}),
  })

test('two plugins with one kind or plural are refused with both names', () => {
  checkKinds([plugin('a', 'Widget', 'widgets'), plugin('b', 'Cog', 'cogs')])
  assert.throws(() => checkKinds([plugin('a', 'Widget', 'widgets'), plugin('b', 'Widget', 'others')]), {
    message: 'plugin a and plugin b both have the kind Widget',
  })
  assert.throws(() => checkKinds([plugin('a', 'Widget', 'widgets'), plugin('b', 'Cog', 'widgets')]), {
    message: 'plugin a and plugin b both have the plural widgets',
  })
})

test('a kind with the name of one of Kubernetes, or of a watched or virtual one, is refused: references and audit rows have no group', () => {
  assert.throws(() => checkKinds([plugin('a', 'Secret', 'acmesecrets')]), {
    message: 'Kubernetes and plugin a both have the kind Secret',
  })
  const cog = plugin('a', 'Cog', 'cogs')
  const resource = { group: 'other.example', version: 'v1', plural: 'othercogs', kind: 'Cog', namespaced: true }
  const watching = { ...plugin('b', 'Widget', 'widgets'), informers: [{ resource, resourceKind: 'Cog' }] }
  const virtual = { ...plugin('b', 'Widget', 'widgets'), access: [{ resource: 'cogs/turn', kind: 'Cog' }] }
  for (const other of [watching, virtual])
    for (const order of [
      [cog, other],
      [other, cog],
    ])
      assert.throws(() => checkKinds(order), { message: 'plugin a and plugin b both have the kind Cog' })
  checkKinds([{ ...watching, informers: [{ resource, resourceKind: 'Namespace' }] }])
})

test('a kind without a sample is refused', () => {
  const withoutSample = plugin('a', 'Widget', 'widgets')
  const kinds = (withoutSample.kinds ?? []).map((slot) => ({ ...slot, sample: undefined }))
  for (const one of [{ ...withoutSample, kinds }, plugin('a', 'Widget', 'widgets', null)])
    assert.throws(() => checkKinds([one as never]), { message: 'plugin a: the kind Widget has no sample with a spec' })
})
