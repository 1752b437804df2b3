import assert from 'node:assert/strict'
import test from 'node:test'
import type { McpServerObject, McpServerStatus } from '#schemas/crds/mcp-server.ts'
import type { McpToolBindingObject, McpToolBindingSpec } from '#schemas/crds/mcp-tool-binding.ts'
import { toBindingStatus } from './binding-status.ts'

const now = new Date('2026-11-23T12:00:00Z')
const manifestDigest = `sha256:${'a'.repeat(64)}`
const tools = ['find', 'close'].map((name) => ({ name, inputSchema: '{"type":"object"}' }))

const bindingOf = (spec: Partial<McpToolBindingSpec>): McpToolBindingObject => ({
  apiVersion: 'mesh.dev/v1alpha1',
  kind: 'McpToolBinding',
  metadata: { name: 'tickets', namespace: 'default', generation: 2 },
  spec: { serverRef: { name: 'crm' }, ...spec },
})

const serverOf = (status: McpServerStatus | undefined, ready: 'True' | 'False' = 'True'): McpServerObject => ({
  apiVersion: 'mesh.dev/v1alpha1',
  kind: 'McpServer',
  metadata: { name: 'crm', namespace: 'default' },
  spec: { url: 'https://tools.example.com/mcp' },
  ...(status === undefined
    ? {}
    : {
        status: {
          ...status,
          conditions: [
            {
              type: 'Ready',
              status: ready,
              reason: ready === 'True' ? 'Ready' : 'Timeout',
              message: 'tools.example.com: no response in time.',
              lastTransitionTime: '2026-01-01T00:00:00Z',
            },
          ],
        },
      }),
})

const statusOf = (spec: Partial<McpToolBindingSpec>, server: McpServerObject | undefined) => {
  const { conditions = [], ...rest } = toBindingStatus(bindingOf(spec), server, now)
  const shown = conditions.map(({ type, status, reason }) => `${type}=${status} ${reason}`)
  return { ...rest, shown, ready: conditions.at(-1) }
}

test('mcp: a binding shows its tools, how many wait for a person, and that it is Ready', () => {
  const { shown, ready, ...rest } = statusOf({ requireApproval: ['close'] }, serverOf({ manifestDigest, tools }))
  assert.deepEqual(rest, { observedGeneration: 2, tools: ['find', 'close'], toolCount: 2, approvals: 1 })
  assert.deepEqual(shown, [
    'ResolvedRefs=True ResolvedRefs',
    'ToolsFound=True ToolsFound',
    'ServerReady=True Ready',
    'Ready=True Ready',
  ])
  assert.equal(ready?.observedGeneration, 2)
})

test('mcp: a binding is not Ready without its server, its tools, or while the server is not', () => {
  const missing = statusOf({}, undefined)
  assert.deepEqual([missing.toolCount, missing.shown.at(-1)], [0, 'Ready=False ServerMissing'])
  assert.equal(missing.ready?.message, 'McpServer default/crm does not exist.')
  const unknown = statusOf(
    { allow: ['find', 'gone'], requireApproval: ['*', 'lost'] },
    serverOf({ manifestDigest, tools }),
  )
  assert.deepEqual([unknown.tools, unknown.shown.at(-1)], [['find'], 'Ready=False UnknownTool'])
  assert.equal(unknown.ready?.message, 'The server has no accepted tool gone, lost.')
  const waiting = statusOf({}, serverOf({ tools: [] }))
  assert.deepEqual([waiting.toolCount, waiting.shown.at(-1)], [0, 'Ready=Unknown NoManifest'])
  const away = statusOf({}, serverOf({ manifestDigest, tools }, 'False'))
  assert.deepEqual([away.toolCount, away.shown.at(-1)], [2, 'Ready=False Timeout'])
  assert.equal(statusOf({}, serverOf(undefined)).shown.at(-1), 'Ready=Unknown NoManifest')
})

test('F2: the message of a binding with many unknown tools is bounded', () => {
  const allow = Array.from({ length: 256 }, (_, index) => `tool-${index}`)
  const { ready } = statusOf({ allow }, serverOf({ manifestDigest, tools }))
  assert.match(ready?.message ?? '', /tool-19 and 236 more\.$/)
})
