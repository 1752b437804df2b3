import assert from 'node:assert/strict'
import test from 'node:test'
import * as fc from 'fast-check'
import type { Resource } from './client.ts'
import { InvalidName, isLabel, isName, parseLabel, parseName } from './names.ts'
import type { DnsLabel, DnsName } from './names.ts'
import { UnsafePath, resourcePath, withQuery } from './url.ts'

const agents: Resource = {
  group: 'mesh.dev',
  version: 'v1alpha1',
  plural: 'agentdeployments',
  kind: 'AgentDeployment',
  namespaced: true,
}
const prefix = '/apis/mesh.dev/v1alpha1/namespaces'
const numRuns = Number(process.env['MESH_PROPERTY_RUNS'] ?? 20_000)

// Plain random strings rarely approach the limits of what is allowed.
const nearName = fc
  .array(fc.constantFrom(...'az09-.%2eE/\\~ \0\n\t?#:@;é'.split(''), '..', '%2f', '%00', 'a', 'b1'), { maxLength: 12 })
  .map((parts) => parts.join(''))
const anyText = fc.oneof(
  nearName,
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({ minLength: 240, maxLength: 260 }),
)

test('K5: whatever the parsers accept gives exactly the expected path, and all else is refused', () => {
  fc.assert(
    fc.property(anyText, anyText, (namespace, name) => {
      if (!isLabel(namespace) || !isName(name)) {
        assert.throws(() => [parseLabel('ns', namespace), parseName('name', name)], InvalidName)
        assert.throws(
          () => resourcePath(agents, { namespace: namespace as DnsLabel, name: name as DnsName }),
          UnsafePath,
        )
        return
      }
      const path = resourcePath(agents, { namespace, name })
      assert.equal(path, `${prefix}/${namespace}/agentdeployments/${name}`)
      assert.equal(new URL(path, 'https://kube').pathname, path)
    }),
    { numRuns },
  )
})

test('K5: names that the API server allows are allowed', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,20}[a-z0-9])?$/), (label) => {
      assert.equal(resourcePath(agents, { namespace: parseLabel('ns', label) }), `${prefix}/${label}/agentdeployments`)
    }),
    { numRuns: numRuns / 10 },
  )
})

test('M1: dots, encoded dots and a missing namespace never build a path', () => {
  for (const name of ['.', '..', '%2e', '%2E%2e', '%2f', 'a/..', 'a%2fb', ''])
    assert.throws(
      () => resourcePath(agents, { namespace: parseLabel('ns', 'demo'), name: name as DnsName }),
      UnsafePath,
    )
  assert.throws(() => resourcePath(agents, { name: parseName('name', 'a') }), UnsafePath)
})

test('a query keeps its values inside their parameters', () => {
  const target = withQuery('/api/v1/pods', { labelSelector: 'a=b&limit=1#x', limit: 5, continue: undefined })
  const url = new URL(target, 'https://kube')
  assert.deepEqual(
    [...url.searchParams],
    [
      ['labelSelector', 'a=b&limit=1#x'],
      ['limit', '5'],
    ],
  )
})
