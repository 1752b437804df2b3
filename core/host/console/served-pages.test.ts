import assert from 'node:assert/strict'
import test from 'node:test'
import { Type } from 'typebox'
import type { MountedEndpoint } from '#core/http/endpoint/mounted-endpoint.ts'
import { definePlugin } from '#core/plugin/plugin.ts'
import { pagesOf } from './served-pages.ts'

const page = (id: string, capability: string) => ({ id, title: id, section: 'Build', path: `/${id}`, capability })
const plugin = definePlugin({
  contract: 1,
  name: 'models',
  settings: Type.Object({}),
  create: () => ({}),
  console: [page('keys', 'models.keys'), page('routes', 'models')],
})
const input = {
  built: [{ plugin, wired: { wiring: 'ready' as const }, services: {} }],
  thirdParty: new Set<string>(),
}
const mounted = (capability: string) => [{ plugin: 'models', capability }] as unknown as readonly MountedEndpoint[]
const idsOf = (catalog: readonly MountedEndpoint[], hidden: readonly string[]): readonly string[] =>
  pagesOf(input, { catalog, hidden }, []).map(({ id }) => id)

test('the page of a hidden part does not exist; that of a part which does not exist is refused', () => {
  assert.deepEqual(idsOf(mounted('models.keys'), []), ['keys', 'routes'])
  assert.deepEqual(idsOf([], ['models.keys']), ['routes'])
  // Another part with the same capability is served.
  assert.deepEqual(idsOf(mounted('models.keys'), ['models.keys']), ['keys', 'routes'])
  assert.throws(() => idsOf([], ['models.other']), { message: /unknown capability "models.keys"/ })
})
