import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { startMcpServer } from '#plugins/mcp/testing/mcp-server.ts'
import type { SessionFixture } from '#plugins/recording/contract/format/append.ts'
import { needs } from '#test/harness/find-server.ts'
import { kubectl } from '#test/harness/kubectl.ts'
import { startDevCommand } from '../testing/run-dev-command.ts'

const agentFile = `name: refunds
model: {route: mock}
runtime: {command: [node, agent.mjs]}
tools: [{name: orders, bindingRef: orders}]
`

/** An agent that calls two tools through its launcher; `args` is an expression of the arguments of the second one. */
const program = (args: string): string => `import { createServer } from 'node:http'
createServer(async (request, response) => {
  if (request.url !== '/invoke') return response.writeHead(404).end()
  const { input } = JSON.parse(Buffer.concat(await request.toArray()))
  const { 'x-mesh-run-id': run, traceparent } = request.headers
  const headers = { 'content-type': 'application/json', 'x-mesh-run-id': run, traceparent }
  const call = async (name, args) => {
    const url = 'http://127.0.0.1:' + process.env.DISCOVERY_PORT + '/tools/' + name + '/call'
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ arguments: args }) })
    const { content, message } = await answer.json()
    if (!answer.ok) throw new Error(message)
    return JSON.parse(content[0].text)
  }
  response.setHeader('content-type', 'application/json')
  try {
    const { id } = await call('orders_find', { id: input.order })
    response.end(JSON.stringify({ output: await call('orders_refund', ${args}) }))
  } catch (error) {
    response.writeHead(500).end(JSON.stringify({ error: { message: error.message } }))
  }
}).listen(process.env.AGENT_PORT, '127.0.0.1')
`

const objects = (url: string): string => `apiVersion: mesh.dev/v1alpha1
kind: McpServer
metadata: {name: orders, namespace: default}
spec: {url: '${url}'}
---
apiVersion: mesh.dev/v1alpha1
kind: McpToolBinding
metadata: {name: orders, namespace: default}
spec: {serverRef: {name: orders}}
`

test(
  'tool calls of MCP servers that dev has recorded are replayed, and other arguments differ',
  { ...needs('kubectl'), timeout: 170_000 },
  async (t) => {
    const server = await startMcpServer(t, '2025-11-25')
    server.tools.clear()
    for (const name of ['find', 'refund']) server.tools.set(name, {})
    const files = { 'agent.yaml': agentFile, 'agent.mjs': program('{ id, amount: 5 }') }
    const dev = startDevCommand(t, files, ['--no-wait', '--data', 'data', '--record', 'run.json'])
    await dev.says(/agent refunds is starting/)
    const kubeconfig = join(dev.folder, 'data/kubeconfigs/admin')
    const applied = await kubectl(kubeconfig, ['apply', '-f', '-'], objects(server.url))
    assert.equal(applied.code, 0, applied.stderr)
    const ready = await kubectl(kubeconfig, [
      'wait',
      '--for=condition=Ready',
      'agentdeployment/refunds',
      '--timeout=60s',
    ])
    assert.equal(ready.code, 0, ready.stderr)
    const run = (await (await dev.invoke({ input: { order: 'o-1' } })).json()) as { output: unknown }
    assert.deepEqual(run.output, { id: 'o-1', amount: 5 }, JSON.stringify(run))
    await dev.says(/recorded in run\.json/)
    assert.equal(await dev.stop(), 130)
    const recording = readFileSync(join(dev.folder, 'run.json'), 'utf8')
    const { tool, complete } = JSON.parse(recording) as SessionFixture
    assert.deepEqual(
      [complete, ...tool.map(({ request }) => [request.server, request.tool, request.arguments])],
      [true, ['default/orders', 'find', { id: 'o-1' }], ['default/orders', 'refund', { id: 'o-1', amount: 5 }]],
    )
    assert.deepEqual(server.calls, ['find', 'refund'])

    const replayed = { ...files, 'run.json': recording }
    const same = startDevCommand(t, replayed, ['--replay', 'run.json'])
    assert.equal(await same.ended(), 0, same.err())
    assert.match(same.out(), /→ \{"id":"o-1","amount":5\}\nevery recorded call was made as recorded\n$/)

    const edited = { ...replayed, 'agent.mjs': program('{ id, sum: 5 }') }
    const changed = startDevCommand(t, edited, ['--replay', 'run.json'])
    assert.equal(await changed.ended(), 2, changed.err())
    assert.match(
      changed.err(),
      /different tool call \d+: .*nearest recorded: tool call \d+, first different at "\/arguments\/amount"/,
    )
    assert.deepEqual(server.calls, ['find', 'refund'], 'a replay calls no server')
  },
)
