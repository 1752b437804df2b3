import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import test from 'node:test'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import { listen } from '#test/harness/listen.ts'
import { startAmpLauncher, startAmpState } from '../testdata/amp-launcher.ts'
import { keyedAgent, registryOf } from '../testdata/envelopes.ts'
import { post } from '../testdata/launch.ts'
import type { MoneyFault } from '../testdata/money-server.ts'
import { completes, startProxied } from '../testdata/proxied-launcher.ts'
import { listenerDefinitions } from '../listener-definitions.ts'

interface Operation {
  /** Name of its one span. */
  readonly span: string
  readonly body?: object
  readonly path?: string
  readonly status: number
}

const messages = [{ role: 'user', content: 'Hello.' }]
const runId = uuidV7()
const toolCall = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'x' } }
const probe = 'a probe is no operation'
const betweenAgents = 'has a launcher on each side: see the test of calls between agents'
const ofAgent = 'takes spans that the agent made'
const ofRun = 'belongs to the span of the run that POST /invoke started'

/** What each route of each port does: an operation with one span, or why it has none. A new route is added here. */
const routes: Readonly<Record<string, Operation | string>> = {
  'delegate.health': probe,
  'delegate.delegate': { span: 'delegate', body: { agent: 'back', wait: false }, status: 202 },
  'feedback.health': probe,
  'feedback.feedback': { span: 'feedback', body: { runId, value: 1 }, status: 202 },
  'budget.chat': { span: 'model call', body: { model: 'mock', messages }, status: 200 },
  'budget.embeddings': { span: 'model call', body: { model: 'mock', input: 'Hello.' }, status: 200 },
  'budget.messages': { span: 'model call', body: { model: 'mock', max_tokens: 5, messages }, status: 200 },
  'budget.countTokens': { span: 'model call', body: { model: 'mock', messages }, status: 200 },
  'budget.responses': { span: 'model call', body: { model: 'mock', input: 'Hello.' }, status: 200 },
  'budget.models': { span: 'models', status: 200 },
  'budget.model': { span: 'models', path: '/v1/models/mock', status: 200 },
  'budget.modelOf': { span: 'models', path: '/v1/models/default/mock', status: 200 },
  'memory.health': probe,
  'memory.read': { span: 'memory get', path: '/memory/c1', status: 502 },
  'memory.append': { span: 'memory append', path: '/memory/c1/append', body: { n: 1 }, status: 502 },
  'memory.find': { span: 'memory search', path: '/memory/c1/search?q=a', status: 502 },
  'memory.remember': { span: 'memory remember', body: { text: 'a' }, status: 502 },
  'memory.recall': { span: 'memory recall', body: { query: 'a' }, status: 502 },
  'memory.searchKnowledge': { span: 'knowledge search', body: { query: 'a' }, status: 502 },
  'discovery.health': probe,
  'discovery.tools': 'a list of the cache is no operation',
  // No tools are known: the failed call has its span, too.
  'discovery.call': { span: 'tool x', path: '/tools/x/call', body: {}, status: 502 },
  'discovery.mcp': { span: 'tool x', body: toolCall, status: 200 },
  'amp.amp': betweenAgents,
  'amp.a2a': betweenAgents,
  'ampInbound.amp': betweenAgents,
  'ampInbound.a2a': betweenAgents,
  'otlpGrpc.export': ofAgent,
  'otlpHttp.traces': ofAgent,
  'invoke.invoke': { span: 'run', body: { input: {} }, status: 200 },
  'invoke.live': probe,
  'invoke.agentLive': probe,
  'invoke.idle': probe,
  'invoke.health': probe,
  'invoke.run': ofRun,
  'invoke.events': ofRun,
  'invoke.ticket': ofRun,
  'invoke.acknowledge': ofRun,
  'invoke.cancel': ofRun,
}

const ports = listenerDefinitions.flatMap(({ port }) => port)

// The parts of the state role that the operations call.
const stateRole: MoneyFault = ({ path }, response) => {
  const answers: Record<string, [number, object]> = {
    '/runs': [201, { id: runId, state: 'queued' }],
    '/feedback': [202, { id: runId }],
  }
  const answer = answers[path]
  if (answer === undefined) return false
  response.writeHead(answer[0], { 'content-type': 'application/json' }).end(JSON.stringify(answer[1]))
  return true
}

test('every route of every port is an operation with a span, or has none for a reason', () => {
  const named = ports.flatMap(({ name, routes: of }) => Object.keys(of).map((route) => `${name}.${route}`))
  assert.deepEqual(
    Object.keys(routes).toSorted(),
    named.toSorted(),
    'add the route to launcher/listeners/spans.test.ts',
  )
})

test('each operation on each port makes exactly one span', async (t) => {
  const agent = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"output":1}')
  })
  // A failed operation has its span, too.
  const memory = { MEMORY_PORT: '0', MEMORY_BACKEND_ADDR: 'http://127.0.0.1:1' }
  const env = { ...memory, FEEDBACK_PORT: '0', DISCOVERY_PORT: '0', AGENT_PORT: new URL(await listen(t, agent)).port }
  const plugins = { budgets: { money: true }, memory: { session: true, longTerm: true }, knowledge: {} }
  const { open, spans, money } = await startProxied(t, { env, config: { plugins }, reply: completes('Hello.') })
  money.faults.push(stateRole)
  for (const { name, routes: of } of ports)
    for (const [route, { method, path }] of Object.entries(of)) {
      const operation = routes[`${name}.${route}`]
      const before = spans().length
      const given = typeof operation === 'object' ? operation : undefined
      if (given === undefined && (open[name] === undefined || path.includes(':'))) continue
      const answer = await fetch(`http://127.0.0.1:${open[name]}${given?.path ?? path}`, {
        method,
        ...(given?.body === undefined
          ? {}
          : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(given.body) }),
      })
      const text = await answer.text()
      if (given !== undefined) assert.equal(answer.status, given.status, `${name}.${route}: ${text}`)
      const made = spans().slice(before)
      assert.deepEqual(
        made.map((span) => span['name']),
        given === undefined ? [] : [given.span],
        `${name}.${route}`,
      )
    }
})

test('a call between agents makes exactly one span on each side', async (t) => {
  const state = await startAmpState(t)
  const [planner, writer] = [await keyedAgent('planner'), await keyedAgent('writer')]
  const caller = await startAmpLauncher(t, planner, { stateUrl: state.url })
  const callee = await startAmpLauncher(t, writer, { stateUrl: state.url })
  state.registries = [{ ...registryOf(), peers: [planner.peer, callee.entry] }]
  for (const path of ['/amp/writer', '/a2a/writer']) {
    const before = [caller.lines.length, callee.lines.length] as const
    const { status, body } = await post(`${caller.url}${path}`, 'Hello.')
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual(
      [caller.lines.slice(before[0]), callee.lines.slice(before[1])].map((lines) =>
        lines.flatMap(({ span }) => (span === undefined ? [] : [(span as { name: string }).name])),
      ),
      [['call agent'], ['called by agent']],
      path,
    )
  }
})
