import assert from 'node:assert/strict'
import test from 'node:test'
import type { KubeObject } from '#core/kube/client.ts'
import { parseName } from '#core/kube/names.ts'
import type { McpConnector } from '#schemas/api/mcp-connectors.ts'
import { McpServer } from '#schemas/crds/mcp-server.ts'
import { needs } from '#test/harness/find-server.ts'
import { servePlugin } from '../../agents/testing/serve.ts'
import { openMcpStore } from '../testing/mcp-store.ts'
import { connectorsEndpoint, publishEndpoint } from './endpoints.ts'
import { createFindConnector } from './find-connector.ts'
import { shippedServers } from './shipped-servers.ts'

const real = needs('etcd', 'kube-apiserver', 'kubectl')

interface Page {
  readonly items: readonly McpConnector[]
  readonly nextCursor: string | null
}

test('a server is published to namespaces, found and connected by these only, and unpublished', real, async (t) => {
  const store = await openMcpStore(t)
  const served = await servePlugin(t, 'mcp-catalog', () => [connectorsEndpoint(store), publishEndpoint(store)])
  const { ask, admin, namespace, other } = served
  const url = 'https://tools.example.com/mcp'
  const spec = { url, auth: { kind: 'header', header: 'x-api-key' }, secretRef: { name: 'canary', key: 'k' } }
  for (const name of ['tools', 'more'])
    await admin.create(McpServer, {
      apiVersion: McpServer.apiVersion,
      kind: McpServer.kind,
      metadata: { namespace, name: parseName('name', name) },
      spec,
    } as KubeObject)
  const publish = (who: string, visibleTo: unknown, more: object = {}) =>
    ask(who, 'POST', '/mcp/publish', {
      namespace,
      server: 'tools',
      title: 'Ünder <b>',
      description: 'Finds 100 % of it.',
      tags: ['weather'],
      visibleTo,
      ...more,
    })
  const list = async (who: string, query: string): Promise<Page> => {
    const page = await ask(who, 'GET', `/mcp/connectors?${query}`)
    assert.equal(page.status, 200, page.text)
    assert.doesNotMatch(page.text, /canary/)
    return page.json<Page>()
  }
  const published = async (who: string, query: string) =>
    (await list(who, query)).items.filter(({ source }) => source === 'published')
  assert.equal((await publish('viewer', 'all')).status, 403)
  assert.equal((await publish('developer', 'all')).status, 403)
  assert.equal((await publish('operator', 'all', { server: 'none' })).status, 404)
  assert.equal((await publish('operator', [other])).status, 204)
  // The namespace of the server, and the one that was named.
  for (const place of [namespace, other])
    assert.equal((await published('operator', `namespace=${place}`)).length, 1, place)
  const [entry] = await published('other-tenant', 'scope=permitted')
  assert.deepEqual(
    [entry?.title, entry?.url, entry?.auth, entry?.header, entry?.publishedBy],
    ['Ünder <b>', url, 'header', 'x-api-key', 'operator'],
  )
  const find = createFindConnector(store)
  assert.equal((await find(entry?.id ?? '', other)).url, url)
  await assert.rejects(find(entry?.id ?? '', 'third'), /sees no connector/)
  await assert.rejects(find('published:none', other), /sees no connector/)
  assert.equal((await publish('operator', [])).status, 204)
  assert.deepEqual(await published('other-tenant', 'scope=permitted'), [])
  assert.equal((await publish('operator', 'all')).status, 204)
  assert.equal((await publish('operator', 'all', { server: 'more', title: 'A' })).status, 204)
  assert.equal((await published('other-tenant', 'scope=permitted')).length, 2)
  assert.deepEqual(await published('unbound', 'scope=permitted'), [])
  assert.equal((await ask('unbound', 'GET', `/mcp/connectors?namespace=${namespace}`)).status, 403)
  assert.equal((await published('operator', `namespace=${namespace}&q=100 %25`)).length, 2)
  assert.equal((await published('operator', `namespace=${namespace}&q=_`)).length, 0)
  assert.deepEqual(
    (await list('viewer', `namespace=${namespace}&q=GitHub`)).items.map(({ id }) => id),
    ['shipped:deepwiki', 'shipped:github'],
  )
  const ids: string[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: Page = await list('viewer', `namespace=${namespace}&limit=3${cursor}`)
    ids.push(...page.items.map(({ id }) => id))
    cursor = page.nextCursor === null ? null : `&cursor=${encodeURIComponent(page.nextCursor)}`
  }
  assert.equal(new Set(ids).size, ids.length)
  assert.equal(ids.length, shippedServers.length + 2)
  for (const [bad, more] of [
    ['some', {}],
    [['../x'], {}],
    [[7], {}],
    ['all', { title: '' }],
    ['all', { title: 'a\nb' }],
    ['all', { description: 'a\0' }],
    ['all', { tags: ['Über'] }],
    ['all', { url: 'https://evil.example' }],
  ] as const)
    assert.equal((await publish('operator', bad, more)).status, 400, JSON.stringify([bad, more]))
})
