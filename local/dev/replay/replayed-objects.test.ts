import assert from 'node:assert/strict'
import test from 'node:test'
import { mergeFixture } from '#plugins/recording/contract/format/merge.ts'
import { endPart, runId, toolPart } from '#plugins/recording/contract/format/testing/parts.ts'
import { expandAgentFile } from '#schemas/agent-file/expand-agent-file.ts'
import { replayedTools } from './tool-objects.ts'

test('each binding of the agent leads to the recorded server whose tools have its prefix', () => {
  const source = `name: bot
namespace: team
model: {route: mock}
tools: [{name: notes, bindingRef: notes-binding}, {name: mail, bindingRef: mail}, calculate]
`
  const [agent] = expandAgentFile(source).documents
  const request = { server: 'demo/notes', name: 'notes_echo', tool: 'echo', arguments: {} }
  const mail = { server: 'team/smtp', name: 'mail_send', tool: 'send', arguments: {} }
  const fixture = mergeFixture(runId, [
    toolPart(1, {}, { request } as never),
    toolPart(2, {}, { request: mail } as never),
    endPart(0, 2),
  ])
  assert.ok(agent !== undefined)
  const objects = replayedTools(agent, fixture, 'http://127.0.0.1:1').filter(({ kind }) => kind !== 'Namespace')
  assert.deepEqual(
    objects.map(({ kind, metadata: { name, namespace }, spec }) => [
      kind,
      namespace,
      name,
      (spec as { url?: string }).url,
    ]),
    [
      ['McpServer', 'team', 'notes', 'http://127.0.0.1:1/mcp/demo/notes'],
      ['McpToolBinding', 'team', 'notes-binding', undefined],
      ['McpServer', 'team', 'smtp', 'http://127.0.0.1:1/mcp/team/smtp'],
      ['McpToolBinding', 'team', 'mail', undefined],
    ],
  )
})
