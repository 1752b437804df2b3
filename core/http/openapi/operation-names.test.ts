import assert from 'node:assert/strict'
import test from 'node:test'
import { Type } from 'typebox'
import { endpoint } from '../endpoint/endpoint.ts'
import type { MountedEndpoint } from '../endpoint/mounted-endpoint.ts'
import { findMisnamed, tagOf } from './operation-names.ts'

type Method = MountedEndpoint['endpoint']['method']

const mounted = (method: Method, url: string, [id, summary]: readonly [string, string]): MountedEndpoint => ({
  plugin: 'sample',
  wiring: 'ready',
  prefix: '/api',
  endpoint: endpoint({
    method,
    url,
    id,
    summary,
    authz: { kind: 'bearer' },
    response: { 200: Type.String() },
    handle: async () => '',
  }),
})
const list = mounted('GET', '/policies', ['listPolicies', 'List policies.'])
const get = mounted('GET', '/policies/:ns/:name', ['getPolicy', 'Get a policy.'])

test('UXL14: an operation is named by a verb and the noun of its collection', () => {
  const good = [
    mounted('POST', '/policies', ['createPolicy', 'Create a policy.']),
    mounted('PUT', '/policies/:ns/:name', ['replacePolicy', 'Replace a policy.']),
    mounted('POST', '/policies/:ns/:name/check', ['checkPolicy', 'Check a policy; nextCursor=x.']),
    mounted('GET', '/whoami', ['whoami', 'Get the caller.']),
    mounted('GET', '/events', ['streamEvents', 'Stream CloudEvents.']),
  ]
  assert.deepEqual(findMisnamed([list, get, ...good]), [])
  const bad: readonly MountedEndpoint[] = [
    mounted('POST', '/policies', ['addPolicy', 'Add a policy.']),
    mounted('DELETE', '/policies/:ns/:name', ['removePolicy', 'Remove a policy.']),
    mounted('GET', '/policies/:ns/:name/rules', ['listRules', 'List rules.']),
    mounted('GET', '/policies/:ns/:name/rules', ['listPolicyRules', 'Rules of a policy.']),
    mounted('POST', '/policies/:ns/:name/check', ['checkPolicy', 'Check a GuardrailPolicy.']),
  ]
  for (const one of bad) assert.equal(findMisnamed([list, get, one]).length, 1, one.endpoint.summary)
})

test('UXL14: an operation has the tag of its collection, below a prefix of its own that of its plugin', () => {
  const plugins = new Set(['sample', 'policies'])
  assert.equal(tagOf(get, plugins), 'policies')
  assert.equal(tagOf(get, new Set(['sample'])), 'sample')
  assert.equal(tagOf({ ...get, prefix: '/api/x/sample' }, plugins), 'sample')
})

test('an operation without an id says what an id is, and nouns with another stem have their singular', () => {
  const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
  const kind = (plural: string, noun: string) => [
    mounted('GET', `/${plural}`, [`list${capital(plural)}`, `List ${plural}.`]),
    mounted('GET', `/${plural}/:ns/:name`, [`get${capital(noun)}`, `Get a ${noun}.`]),
    mounted('POST', `/${plural}/:ns/:name/clean`, [`clean${capital(noun)}`, `Clean a ${noun}.`]),
  ]
  const nouns = { shelves: 'shelf', knives: 'knife', olives: 'olive', boxes: 'box', databases: 'database' }
  for (const [plural, noun] of Object.entries(nouns)) assert.deepEqual(findMisnamed(kind(plural, noun)), [], plural)
  assert.equal(findMisnamed(kind('shelves', 'shelv')).length, 2)
  assert.match(
    findMisnamed([list, get, mounted('POST', '/policies', ['', 'Create.'])]).join(),
    /there is no id: a verb/,
  )
})
