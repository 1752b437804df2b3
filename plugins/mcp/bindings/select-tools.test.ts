import assert from 'node:assert/strict'
import test from 'node:test'
import type { McpTool } from '#schemas/crds/mcp-server.ts'
import { acceptedTools, selectTools } from './select-tools.ts'
import type { ToolRestrictions } from './select-tools.ts'

const tool = (name: string, annotations?: McpTool['annotations']): McpTool => ({
  name,
  inputSchema: '{"type":"object"}',
  ...(annotations === undefined ? {} : { annotations }),
})
const tools = [
  tool('read', { readOnlyHint: true }),
  tool('odd', { readOnlyHint: true, destructiveHint: true }),
  tool('add', { destructiveHint: false }),
  tool('drop', { destructiveHint: true }),
  tool('bare'),
]
const digest = (digit: string) => `sha256:${digit.repeat(64)}`

const select = (...restrictions: ToolRestrictions[]) =>
  selectTools(tools, restrictions).map((one) => `${one.tool.name}${one.requiresApproval ? '!' : ''}`)

test('mcp: restrictions narrow: a tool needs every allowlist, and one of them suffices for approval', () => {
  assert.deepEqual(select({}, {}), ['read', 'odd', 'add', 'drop', 'bare'])
  assert.deepEqual(select({ allow: ['read', 'add', 'none'] }, {}), ['read', 'add'])
  assert.deepEqual(select({ allow: ['read', 'add'] }, { allow: ['add', 'drop'] }), ['add'])
  assert.deepEqual(select({ allow: ['read'] }, { allow: ['*'] }), ['read'])
  assert.deepEqual(select({ allow: [] }, {}), [])
  assert.deepEqual(select({ requireApproval: ['add'] }, { requireApproval: ['drop'] }), [
    'read',
    'odd',
    'add!',
    'drop!',
    'bare',
  ])
  assert.deepEqual(select({ allow: ['read', 'add'] }, { requireApproval: ['*'] }), ['read!', 'add!'])
})

test('mcp: hints of a server add approvals, and a tool without hints counts as destructive', () => {
  assert.deepEqual(select({ approveByHints: 'none' }), ['read', 'odd', 'add', 'drop', 'bare'])
  assert.deepEqual(select({ approveByHints: 'destructive' }), ['read', 'odd', 'add', 'drop!', 'bare!'])
  assert.deepEqual(select({ approveByHints: 'writes' }), ['read', 'odd', 'add!', 'drop!', 'bare!'])
  assert.deepEqual(select({ approveByHints: 'destructive', requireApproval: ['read'] }), [
    'read!',
    'odd',
    'add',
    'drop!',
    'bare!',
  ])
})

test('M-6: only accepted tools are selected, and none before the status follows the spec', () => {
  const spec = { url: 'https://tools.example.com/mcp' }
  const proposed = { digest: digest('b'), changes: ['added x'], tools: [tool('x')] }
  assert.deepEqual(acceptedTools({ spec }), [])
  assert.deepEqual(acceptedTools({ spec, status: { tools: [], proposed } }), [])
  const status = { manifestDigest: digest('a'), tools: [tool('a')], proposed }
  assert.deepEqual(acceptedTools({ spec, status }), [tool('a')])
  assert.deepEqual(acceptedTools({ spec: { ...spec, acceptedManifest: digest('a') }, status }), [tool('a')])
  assert.deepEqual(acceptedTools({ spec: { ...spec, acceptedManifest: digest('b') }, status }), [])
})
