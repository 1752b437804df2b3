import assert from 'node:assert/strict'
import test from 'node:test'
import { Type } from 'typebox'
import { crud } from '#core/plugin/crud.ts'
import { definePlugin } from '#core/plugin/plugin.ts'
import { defineKind } from '#schemas/kind.ts'
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
    message: 'plugins a and b both have the kind Widget',
  })
  assert.throws(() => checkKinds([plugin('a', 'Widget', 'widgets'), plugin('b', 'Cog', 'widgets')]), {
    message: 'plugins a and b both have the plural widgets',
  })
})

test('a kind without a sample is refused', () => {
  const withoutSample = plugin('a', 'Widget', 'widgets')
  const kinds = (withoutSample.kinds ?? []).map((slot) => ({ ...slot, sample: undefined }))
  for (const one of [{ ...withoutSample, kinds }, plugin('a', 'Widget', 'widgets', null)])
    assert.throws(() => checkKinds([one as never]), { message: 'plugin a: the kind Widget has no sample with a spec' })
})
