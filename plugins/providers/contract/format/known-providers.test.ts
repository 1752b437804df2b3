import assert from 'node:assert/strict'
import test from 'node:test'
import { addressFields } from '#schemas/crds/model-provider.ts'
import { findKnownProvider, knownProviders } from './known-providers.ts'

test('the well-known providers are dated, sorted, and addresses that a ModelProvider accepts', () => {
  const { asOf, items } = knownProviders
  assert.match(asOf, /^\d{4}-\d\d-\d\d$/)
  const ids = items.map(({ id }) => id)
  assert.deepEqual(ids, [...new Set(ids)].toSorted())
  const { pattern: source } = addressFields.baseUrl as { readonly pattern?: string }
  const pattern = new RegExp(source ?? 'none')
  for (const { id, title, baseUrl, needsKey } of items) {
    assert.match(id, /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/)
    assert.ok(title !== '')
    assert.match(baseUrl, pattern)
    assert.ok(!baseUrl.endsWith('/'), id)
    const { protocol, hostname } = new URL(baseUrl)
    // A key is sent over https only.
    assert.deepEqual([needsKey, hostname === '127.0.0.1'], [protocol === 'https:', protocol === 'http:'])
  }
  assert.deepEqual([findKnownProvider('groq')?.title, findKnownProvider('__proto__')], ['Groq', undefined])
})
