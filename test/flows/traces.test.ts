import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { ObjectRef } from '#core/kube/client.ts'
import type { Persona } from '#local/data-folder/personas.ts'
import type { SpanContentView } from '#schemas/api/span-content.ts'
import type { TraceSpanNode } from '#schemas/api/traces.ts'
import { ModelProvider } from '#schemas/crds/model-provider.ts'
import { ModelRoute } from '#schemas/crds/model-route.ts'
import { sharedEmbedded } from './platform/shared-platform.ts'

interface Node {
  readonly kind: string
  readonly content: SpanContentView | null
  readonly children: readonly Node[]
}

interface RunTree {
  readonly root: Node
  readonly spanCount: number
  readonly errorSpanIds: readonly string[]
}

const allNodes = (node: Node): readonly Node[] => [node, ...node.children.flatMap(allNodes)]

interface Detail {
  readonly traceId: string
  readonly run: { readonly id: string; readonly agent: string } | null
  readonly spans: number
  readonly truncated: boolean
  readonly roots: readonly TraceSpanNode[]
}

const namespace = 'default'
const script = [{ toolCalls: [{ name: 'calculate', arguments: { expression: '6*7' } }], reply: 'It is 42.' }]

// Without any SDK: a span below the run, with a prompt that the policy does not let out.
const sender = [
  'node',
  '-e',
  `require('node:http').createServer(async (request, response) => {
    if (request.url === '/healthz') return response.end()
    await request.resume()
    const [, traceId, parentSpanId] = (request.headers.traceparent ?? '').split('-')
    const now = String(BigInt(Date.now()) * 1000000n)
    const attributes = [
      { key: 'gen_ai.request.model', value: { stringValue: 'gpt-x' } },
      { key: 'gen_ai.input.messages', value: { stringValue: 'a secret' } },
    ]
    const span = { traceId, spanId: '00f067aa0ba902b7', parentSpanId, name: 'plan', attributes, startTimeUnixNano: now, endTimeUnixNano: now }
    const answer = await fetch(process.env.OTEL_EXPORTER_OTLP_ENDPOINT + '/v1/traces', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }),
    })
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ output: { status: answer.status, protocol: process.env.OTEL_EXPORTER_OTLP_PROTOCOL } }))
  }).listen(process.env.AGENT_PORT, '127.0.0.1')`,
]

const all = (spans: readonly TraceSpanNode[]): readonly TraceSpanNode[] =>
  spans.flatMap((span) => [span, ...all(span.children)])
const outline = ({ name, children }: TraceSpanNode): unknown[] => [name, ...children.map(outline)]

test('traces: the spans of a run are stored by its launcher, and read as its callers may', async (t) => {
  const { admin, send, tokens } = await sharedEmbedded()
  const ask = (method: string, path: string, body?: unknown, as: Persona = 'developer') =>
    send({ method, path: `/api${path}`, bearer: tokens[as], ...(body === undefined ? {} : { body }) })
  const write = (resource: typeof ModelProvider | typeof ModelRoute, spec: object) => {
    const metadata = { name: 'traced-mock', namespace }
    const body = { apiVersion: 'mesh.dev/v1alpha1', kind: resource.kind, metadata, spec }
    return admin.patch(resource, metadata as ObjectRef, { type: 'apply', body: body as never, force: true })
  }
  await write(ModelProvider, { type: 'mock', mock: { script } })
  await write(ModelRoute, { providerRef: { name: 'traced-mock' }, model: 'mock' })
  const config = { model: { route: 'traced-mock' }, systemPrompt: 'Count.', tools: [{ name: 'calculate' }] }
  const made = await ask('POST', '/agents', { namespace, config: { name: 'traced-loop', ...config } })
  assert.equal(made.status, 201, made.text)
  const own = await ask('POST', '/agents', {
    metadata: { namespace, name: 'traced-own' },
    spec: { runtime: { command: sender } },
  })
  assert.equal(own.status, 201, own.text)
  const invoke = async (name = 'traced-loop'): Promise<string> => {
    const body = { agent: { namespace, name }, input: 'How much is it?', timeout: '60s' }
    const { runId } = (await ask('POST', '/invoke', body)).json<{ runId: string }>()
    return runId
  }
  const untilStored = async (runId: string, spans: number): Promise<Detail> => {
    for (;;) {
      const detail = (await ask('GET', `/traces/${runId}/detail`)).json<Detail>()
      if (detail.spans >= spans) return detail
      await pause(50)
    }
  }

  await t.test('the tree has each operation once: steps, model calls with tokens, tools', async () => {
    const runId = await invoke()
    const { roots, run, truncated } = await untilStored(runId, 6)
    assert.deepEqual([run?.id, run?.agent, truncated], [runId, 'traced-loop', false])
    assert.deepEqual(roots.map(outline), [
      ['run', ['step 1', ['model call'], ['tool calculate']], ['step 2', ['model call']]],
    ])
    const [model] = all(roots).filter(({ name }) => name === 'model call')
    assert.equal(model?.attributes['gen_ai.operation.name'], 'chat')
    assert.ok(Number(model?.attributes['gen_ai.usage.input_tokens']) > 0)
    const tool = all(roots).find(({ name }) => name === 'tool calculate')
    assert.equal(tool?.attributes['gen_ai.tool.name'], 'calculate')
    assert.deepEqual([roots[0]?.agent, roots[0]?.service], [{ namespace, name: 'traced-loop' }, 'traced-loop'])
    const root = (await ask('GET', `/runs/${runId}/tree`)).json<{ root: { spanId: string } }>().root
    assert.equal(roots[0]?.parentSpanId, root.spanId, 'the spans hang below the run')
  })

  await t.test('a trace is found by its id, and hidden from those who may not get its run', async () => {
    const runId = await invoke()
    const { traceId } = await untilStored(runId, 6)
    const summary = (await ask('GET', `/traces/${traceId}`)).json<{ agents: unknown; spans: number; link: null }>()
    assert.deepEqual(summary.agents, [{ namespace, name: 'traced-loop', spans: 6 }])
    assert.equal(summary.link, null)
    for (const path of [`/traces/${traceId}`, `/traces/${traceId}/detail`, `/traces/${runId}`]) {
      assert.equal((await ask('GET', path, undefined, 'other-tenant')).status, 404)
    }
    assert.equal((await ask('GET', `/traces/${'a'.repeat(32)}`)).status, 404)
    for (const id of ['0'.repeat(32), 'x', '%00', traceId.toUpperCase(), '..%2f..'])
      assert.equal((await ask('GET', `/traces/${id}`)).status, 400, id)
  })

  await t.test('a span that an agent sends to its OTLP port is below its run, within the policy', async () => {
    const runId = await invoke('traced-own')
    const { roots } = await untilStored(runId, 2)
    assert.deepEqual(roots.map(outline), [['run', ['plan']]])
    const [span] = roots[0]?.children ?? []
    assert.deepEqual(span?.attributes, { 'gen_ai.request.model': 'gpt-x' })
    const run = (await ask('GET', `/runs/${runId}`)).json<{ output: unknown }>()
    assert.deepEqual(run.output, { status: 200, protocol: 'http/protobuf' })
  })

  await t.test('UX-8: with capture full, content is shown to a developer and withheld from a viewer', async () => {
    const path = `/agents/${namespace}/traced-loop/tracepolicy`
    assert.equal((await ask('PUT', path, { tracePolicy: { capture: 'full' } })).status, 200)
    let model: TraceSpanNode | undefined
    let runId = ''
    // The former pod serves runs until its successor is ready.
    for (const end = performance.now() + 120_000; !model?.content && performance.now() < end;) {
      runId = await invoke()
      const { roots } = await untilStored(runId, 6)
      model = all(roots).find(({ name }) => name === 'model call')
    }
    assert.deepEqual(model?.content?.systemInstructions, [{ type: 'text', content: 'Count.' }])
    assert.deepEqual(model.content.inputMessages, [
      { role: 'user', parts: [{ type: 'text', content: 'How much is it?' }] },
    ])
    const read = async (as: Persona) => {
      const { roots } = (await ask('GET', `/traces/${runId}/detail`, undefined, as)).json<Detail>()
      const tree = (await ask('GET', `/runs/${runId}/tree`, undefined, as)).json<RunTree>()
      const nodes = [...allNodes(tree.root)]
      return { roots, tree, tool: nodes.find(({ kind }) => kind === 'tool'), text: JSON.stringify(roots) }
    }
    const developer = await read('developer')
    assert.deepEqual(developer.tool?.content?.arguments, { expression: '6*7' })
    assert.ok(developer.text.includes('It is 42.'))
    assert.deepEqual([developer.tree.spanCount > 5, developer.tree.errorSpanIds], [true, []])
    const viewer = await read('viewer')
    assert.equal(viewer.tool?.content?.withheld, true)
    assert.deepEqual(viewer.tool.content.arguments, null)
    assert.doesNotMatch(viewer.text, /How much|It is 42|6\*7/)
    assert.equal((await ask('GET', `/traces/${runId}/detail`, undefined, 'other-tenant')).status, 404)
  })

  await t.test('a policy that captures nothing stores nothing; a wrong pattern is refused by its field', async () => {
    const path = `/agents/${namespace}/traced-loop/tracepolicy`
    const wrong = await ask('PUT', path, { tracePolicy: { redact: ['email', '('] } })
    assert.equal(wrong.status, 400)
    assert.equal(wrong.json<{ errors: { pointer: string }[] }>().errors[0]?.pointer, '/tracePolicy/redact/1')
    assert.equal((await ask('PUT', path, { tracePolicy: null }, 'viewer')).status, 403)
    const set = await ask('PUT', path, { tracePolicy: { capture: 'none' } })
    assert.deepEqual([set.status, set.json()], [200, { tracePolicy: { capture: 'none' } }])
    const removed = await ask('PUT', `${path}?dryRun=All`, { tracePolicy: null })
    assert.deepEqual(removed.json(), { tracePolicy: null })
    assert.deepEqual((await ask('GET', path)).json(), { tracePolicy: { capture: 'none' } })
  })
})
