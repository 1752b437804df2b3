import assert from 'node:assert/strict'
import test from 'node:test'
import { parseLabel, parseName } from '#core/kube/names.ts'
import { McpServer } from '#schemas/crds/mcp-server.ts'
import type { McpServerStatus } from '#schemas/crds/mcp-server.ts'
import { needs } from '#test/harness/find-server.ts'
import { servePlugin } from '../../agents/testing/serve.ts'
import { toolsEndpoint } from './tools.ts'

const real = needs('etcd', 'kube-apiserver', 'kubectl')
const digest = `sha256:${'a'.repeat(64)}`

interface Listed {
  readonly items: readonly { readonly name: string }[]
  readonly nextCursor: string | null
}

test('the catalog has the accepted tools of servers that the caller may list', real, async (t) => {
  const { ask, admin, namespace } = await servePlugin(t, 'mcp', () => [toolsEndpoint('/tools', 'listTools')])
  const create = async (name: string, status: McpServerStatus) => {
    const ref = { namespace: parseLabel('namespace', namespace), name: parseName('name', name) }
    const spec = { url: 'https://tools.example.com/mcp' }
    await admin.create(McpServer, { apiVersion: 'mesh.dev/v1alpha1', kind: 'McpServer', metadata: ref, spec })
    await admin.patch(McpServer, ref, { type: 'merge', body: { status } }, { subresource: 'status' })
  }
  const waiting = { digest, changes: ['added more'], tools: [{ name: 'more', inputSchema: '{"type":"object"}' }] }
  const annotations = { readOnlyHint: true }
  const time = {
    name: 'time',
    title: 'Time of day',
    description: '<b>',
    annotations,
    inputSchema: '{"default":null,"type":"object"}',
    outputSchema: '{"type":"object","required":["hour"]}',
  }
  const ready = {
    type: 'Ready',
    status: 'True',
    reason: 'Ready',
    message: '',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  }
  await create('clock', { tools: [time], conditions: [{ ...ready, status: 'True' }] })
  await create('new', { proposed: waiting })
  const answer = await ask('viewer', 'GET', `/tools?namespace=${namespace}`)
  assert.deepEqual(answer.json<Listed>(), {
    items: [
      {
        server: { namespace, name: 'clock', ready: true },
        ...time,
        inputSchema: { type: 'object', default: null },
        outputSchema: { type: 'object', required: ['hour'] },
      },
    ],
    nextCursor: null,
  })
  assert.equal((await ask('unbound', 'GET', `/tools?namespace=${namespace}`)).status, 403)
  assert.equal((await ask('viewer', 'GET', '/tools?namespace=a%00b')).status, 400)
  assert.equal((await ask('viewer', 'GET', `/tools?namespace=${namespace}&cursor=forged`)).status, 400)
  for (let index = 0; index < 20; index++)
    await create(`z${index}`, { tools: [{ name: `tool${index}`, inputSchema: '{"type":"object"}' }] })
  const names: string[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: Listed = (await ask('viewer', 'GET', `/tools?namespace=${namespace}${cursor}`)).json<Listed>()
    names.push(...page.items.map(({ name }) => name))
    cursor = page.nextCursor === null ? null : `&cursor=${encodeURIComponent(page.nextCursor)}`
  }
  assert.equal(new Set(names).size, 21)
  assert.equal(names.length, 21)
})
