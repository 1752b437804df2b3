import assert from 'node:assert/strict'
import test from 'node:test'
import { createServer } from 'node:http'
import type { TestContext } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { InvokeRequest, LauncherEntry } from '#schemas/runs/run.ts'
import { listen } from '#test/harness/listen.ts'
import { post, readEvents } from '#launcher/testdata/launch.ts'
import { startTestLauncher } from '#launcher/testdata/start-launcher.ts'
import { gives, refusesWith, startToolServer } from '#launcher/testdata/tool-server.ts'
import type { TestOffer } from '#launcher/testdata/tool-server.ts'

const config = { name: 'robot', namespace: 'default', uid: 'uid-1' }
// What each request of revision 2026-07-28 carries.
const _meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}
const offers: readonly TestOffer[] = [{ name: 'x_echo' }, { name: 'x_drop', requiresApproval: true }]

/** An agent that calls its tools in order on port 2999, and fails when one is refused. */
async function startAgent(t: TestContext, url: () => string) {
  const agent = createServer(async (request, response) => {
    if (request.url !== '/invoke') return void response.writeHead(404).end()
    const chunks: Buffer[] = []
    for await (const part of request as AsyncIterable<Buffer>) chunks.push(part)
    const { input } = JSON.parse(Buffer.concat(chunks).toString()) as { input: { tool: string; args: object }[] }
    for (const { tool, args } of input) {
      const { status } = await call(url(), tool, args)
      if (status !== 200) return void response.writeHead(500).end()
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"output":"called"}')
  })
  return new URL(await listen(t, agent)).port
}

async function call(url: string, tool: string, args: unknown, headers = {}) {
  const answer = await fetch(`${url}/tools/${tool}/call`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ arguments: args }),
  })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

async function start(t: TestContext, given: readonly TestOffer[] = offers, env: Record<string, string> = {}) {
  const state = await startToolServer(t, given)
  const urls = { tools: '' }
  const agentPort = await startAgent(t, () => urls.tools)
  const launcher = await startTestLauncher(t, {
    config,
    files: { MESH_STATE_TOKEN_FILE: 'state-token\n' },
    env: { DISCOVERY_PORT: '0', STATE_URL: state.url, AGENT_PORT: agentPort, ...env },
  })
  urls.tools = `http://127.0.0.1:${launcher.open['discovery']}`
  const url = `http://127.0.0.1:${launcher.open['invoke']}`
  const invoke = async (runId: string, request: InvokeRequest): Promise<readonly LauncherEntry[]> => {
    await post(`${url}/invoke`, request, { 'x-mesh-run-id': runId })
    return readEvents(`${url}/runs/${runId}/events`)
  }
  return { ...launcher, state, url: urls.tools, invoke }
}

interface Paused {
  readonly pauseReason: string
  readonly interrupts: readonly { readonly id: string; readonly tool?: string; readonly arguments?: unknown }[]
  readonly checkpoint: unknown
}

function pauseIn(entries: readonly LauncherEntry[]) {
  const last = entries.at(-1)
  assert.equal(last?.kind, 'run.paused', JSON.stringify(last))
  const data = last.data as unknown as Paused
  return { ...data, ids: data.interrupts.map(({ id }) => id) }
}

test('mcp: 2999 is closed unless bindings bring tools', async (t) => {
  const { open } = await startTestLauncher(t, { config, env: { STATE_URL: 'http://127.0.0.1:1' } })
  assert.equal(open['discovery'], undefined)
})

test('mcp: tools are listed from the cache, and a call is one request with the token of the launcher and one span', async (t) => {
  const { state, url, spans } = await start(t)
  const list = async () => (await (await fetch(`${url}/tools`)).json()) as { items: Record<string, unknown>[] }
  const [first] = (await list()).items
  assert.deepEqual(first, {
    name: 'x_echo',
    description: 'Does x_echo.',
    inputSchema: { type: 'object' },
    server: 'default/crm',
    requiresApproval: false,
  })
  const before = state.requests.length
  await list()
  assert.equal(state.requests.length, before)
  assert.deepEqual(await call(url, 'x_echo', { a: 'b\0' }), {
    status: 200,
    body: { content: [{ type: 'text', text: 'done' }], isError: false },
  })
  assert.deepEqual(state.calls, [{ path: '/mcp/tools/x_echo/calls', args: { a: 'b\uFFFD' } }])
  assert.deepEqual(state.listed, [['sha256:0', false]])
  const { headers } = state.requests.at(-1) ?? {}
  assert.equal(headers?.authorization, 'Bearer state-token')
  assert.match(String(headers?.['traceparent']), /^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/)
  assert.deepEqual(
    spans().map(({ name }) => name),
    ['tool x_echo'],
  )
})

test('H4: in an outage of the state role the known tools are listed, and a call is 502', async (t) => {
  const { state, url } = await start(t)
  await fetch(`${url}/tools`)
  state.isDown = true
  assert.equal((await fetch(`${url}/tools`)).status, 200)
  const { status, body } = await call(url, 'x_echo', {})
  assert.deepEqual([status, body['error']], [502, 'tools_unavailable'])
  const fresh = await start(t)
  fresh.state.isDown = true
  assert.equal((await fetch(`${fresh.url}/tools`)).status, 502)
})

test('mcp: refusals of the state role reach the agent with their code; texts of failures do not', async (t) => {
  const { state, url } = await start(t)
  for (const [status, code, expected] of [
    [404, 'unknown_tool', [404, 'unknown_tool']],
    [409, 'tool_changed', [409, 'tool_changed']],
    [429, 'too_many_tool_calls', [429, 'too_many_tool_calls']],
    [429, 'rate_limited', [429, 'too_many_tool_calls']],
    [502, 'tool_unavailable', [502, 'tool_unavailable']],
    [504, 'tool_timeout', [504, 'tool_timeout']],
    [401, 'unauthenticated', [502, 'tools_unavailable']],
    [500, 'internal_error', [502, 'tools_unavailable']],
  ] as const) {
    state.reply = refusesWith(status, code)
    const answer = await call(url, 'x_echo', {})
    assert.deepEqual([answer.status, answer.body['error']], expected)
  }
  state.reply = (_args, response) => void response.end('{"content":1}')
  assert.equal((await call(url, 'x_echo', {})).status, 502)
  const unknown = await call(url, 'x_none', {})
  assert.deepEqual([unknown.status, unknown.body['error']], [404, 'unknown_tool'])
  const run = await call(url, 'x_echo', {}, { 'x-mesh-run-id': 'none' })
  assert.deepEqual([run.status, run.body['error']], [404, 'unknown_run'])
})

test('M-6: a changed tool is listed again before it can be called', async (t) => {
  const { state, url } = await start(t)
  assert.equal((await call(url, 'x_echo', {})).status, 200)
  state.offers = [{ name: 'x_echo', digest: 'sha256:1', requiresApproval: true }]
  state.reply = refusesWith(409, 'tool_changed')
  assert.equal((await call(url, 'x_echo', {})).status, 409)
  state.reply = gives('done')
  const { status, body } = await call(url, 'x_echo', {})
  assert.deepEqual([status, body['error']], [403, 'tool_approval_required'])
})

test('mcp: a call of a run is in its journal, below the span of the run', async (t) => {
  const { state, invoke } = await start(t)
  const entries = await invoke('r1', { input: [{ tool: 'x_echo', args: { a: 1 } }] })
  const made = entries.filter(({ kind }) => kind.startsWith('tool.'))
  assert.deepEqual(
    made.map(({ kind, data }) => [kind, data['name'], data['arguments'] ?? data['result']]),
    [
      ['tool.started', 'x_echo', { a: 1 }],
      ['tool.finished', 'x_echo', [{ type: 'text', text: 'done' }]],
    ],
  )
  assert.equal(made[0]?.data['toolCallId'], made[1]?.data['toolCallId'])
  assert.equal(made[0]?.spanId, made[1]?.spanId)
  assert.equal(state.requests.at(-1)?.headers['x-mesh-run-id'], 'r1')
  assert.equal(entries.at(-1)?.kind, 'run.succeeded')
})

test('mcp: a call that needs approval pauses the run of an own agent, and passes once per approval', async (t) => {
  const { state, invoke } = await start(t)
  const drop = (n: number) => ({ tool: 'x_drop', args: { n } })
  const input = [drop(1), drop(1)]
  const one = pauseIn(await invoke('r1', { input }))
  assert.equal(one.pauseReason, 'approval_required')
  assert.deepEqual(
    one.interrupts.map(({ tool, arguments: args }) => [tool, args]),
    [['x_drop', { n: 1 }]],
  )
  assert.match(one.ids[0] ?? '', /^tap_[0-9a-f]{40}$/)
  assert.deepEqual(state.calls, [])
  const answer = (ids: readonly string[], decision: 'approve' | 'reject', checkpoint: unknown): InvokeRequest => ({
    input,
    context: { resume: { resolutions: ids.map((interruptId) => ({ interruptId, decision })), checkpoint } },
  })
  const two = pauseIn(await invoke('r1', answer(one.ids, 'approve', one.checkpoint)))
  assert.notDeepEqual(two.ids, one.ids, 'the same call once more needs its own approval')
  assert.deepEqual(state.listed, [['sha256:0', true]])
  const done = await invoke('r1', answer(two.ids, 'approve', two.checkpoint))
  assert.equal(done.at(-1)?.kind, 'run.succeeded')
  const other = pauseIn(await invoke('r2', { input }))
  const rejected = await invoke('r2', answer(other.ids, 'reject', other.checkpoint))
  assert.equal(rejected.at(-1)?.kind, 'run.failed')
  const forged = pauseIn(await invoke('r3', { input: [drop(2)] }))
  assert.notDeepEqual(forged.ids, one.ids, 'approval is bound to the arguments')
})

test('mcp: a call that needs approval and belongs to no run is refused', async (t) => {
  const { state, url } = await start(t)
  const { status, body } = await call(url, 'x_drop', {})
  assert.deepEqual([status, body['error'], state.calls], [403, 'tool_approval_required', []])
})

for (const [mode, revision] of [
  ['auto', '2026-07-28'],
  ['legacy', '2025-11-25'],
] as const)
  test(`mcp: the public client lists and calls tools on /mcp (${revision})`, async (t) => {
    const { state, url } = await start(t)
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
    const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`))
    await client.connect(transport)
    t.after(() => client.close())
    assert.equal(client.getNegotiatedProtocolVersion(), revision)
    const { tools } = await client.listTools()
    assert.deepEqual(
      tools.map(({ name, description }) => [name, description]),
      [
        ['x_echo', 'Does x_echo.'],
        ['x_drop', 'Does x_drop.'],
      ],
    )
    const result = await client.callTool({ name: 'x_echo', arguments: { a: 1 } })
    assert.deepEqual(result.content, [{ type: 'text', text: 'done' }])
    state.reply = refusesWith(504, 'tool_timeout', 'tools.example.com does not respond in time.')
    const failed = await client.callTool({ name: 'x_echo', arguments: {} })
    assert.equal(failed.isError, true)
    assert.match(JSON.stringify(failed.content), /does not respond in time/)
    await assert.rejects(client.callTool({ name: 'x_drop', arguments: {} }), /requires approval/)
    await assert.rejects(client.callTool({ name: 'x_none', arguments: {} }), /no tool with that name/)
  })

test('H1, F1: /mcp refuses foreign hosts, pages, batches and what is no message', async (t) => {
  const { url, state } = await start(t)
  const send = async (body: unknown, headers: Record<string, string> = {}, path = '/mcp', method = 'POST') => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(method === 'POST' ? { body: typeof body === 'string' ? body : JSON.stringify(body) } : {}),
    })
    const text = await answer.text()
    return { status: answer.status, body: text === '' ? undefined : (JSON.parse(text) as Record<string, unknown>) }
  }
  const message = { jsonrpc: '2.0', id: 1, method: 'ping' }
  assert.deepEqual(await send(message), { status: 200, body: { jsonrpc: '2.0', id: 1, result: {} } })
  assert.equal((await send(message, { origin: 'http://evil.example' })).status, 403)
  assert.equal((await send(message, { 'sec-fetch-site': 'cross-site' })).status, 403)
  assert.equal((await send(message, { 'mcp-protocol-version': '1999-01-01' })).status, 400)
  for (const method of ['GET', 'DELETE']) assert.equal((await send('', {}, '/mcp', method)).status, 405)
  assert.equal((await send({ jsonrpc: '2.0', method: 'notifications/initialized' })).status, 202)
  const bad = [
    [],
    [message],
    'x',
    '{"jsonrpc":"2.0"',
    { ...message, jsonrpc: '1.0' },
    { ...message, id: {} },
    { ...message, id: 1.5 },
    { ...message, id: 'x'.repeat(300) },
    { ...message, method: 7 },
    { ...message, params: [] },
    `{"jsonrpc":"2.0","id":1,"method":"ping","params":${'{"a":'.repeat(100)}1${'}'.repeat(100)}}`,
  ]
  for (const one of bad) assert.equal((await send(one)).status, 400, JSON.stringify(one).slice(0, 60))
  const errorOf = async (method: string, params = {}) =>
    ((await send({ ...message, method, params })).body?.['error'] as { code: number } | undefined)?.code
  assert.equal(await errorOf('resources/list'), -32601)
  assert.equal(await errorOf('server/discover'), -32602)
  assert.equal(await errorOf('tools/call', {}), -32602)
  assert.equal(await errorOf('tools/call', { name: 'x_echo', arguments: [] }), -32602)
  assert.equal(await errorOf('tools/call', { name: '../x' }), -32602)
  assert.deepEqual(state.calls, [])
})

test('H1: headers of revision 2026-07-28 must say what the body says', async (t) => {
  const { url, state } = await start(t)
  const right = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'x_echo' }
  const send = async (headers: Record<string, string>, more: object = {}) => {
    const params = { name: 'x_echo', _meta, ...more }
    const answer = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    })
    const { error } = (await answer.json()) as { error?: { code: number } }
    return [answer.status, error?.code]
  }
  assert.deepEqual(await send(right), [200, undefined])
  const encoded = `=?base64?${Buffer.from('x_echo').toString('base64')}?=`
  assert.deepEqual(await send({ ...right, 'mcp-name': encoded }), [200, undefined])
  for (const name of Object.keys(right))
    assert.deepEqual(await send({ ...right, [name]: 'other' }), [400, -32020], name)
  assert.deepEqual(await send({ ...right, 'mcp-name': '=?base64?eF9lY2hv' }), [400, -32020])
  const future = { _meta: { ..._meta, 'io.modelcontextprotocol/protocolVersion': '2027-01-01' } }
  assert.deepEqual(await send({ ...right, 'mcp-protocol-version': '2027-01-01' }, future), [400, -32022])
  for (const lacking of Object.keys(_meta)) {
    const rest = Object.fromEntries(Object.entries(_meta).filter(([key]) => key !== lacking))
    assert.deepEqual(await send(right, { _meta: rest }), [400, -32602], lacking)
  }
  assert.deepEqual(await send(right, { _meta: undefined }), [400, -32602])
  assert.equal(state.calls.length, 2)
})

test('H1: headers of revision 2026-07-28 that repeat arguments must say what the body says', async (t) => {
  const property = (type: string, name: unknown) => ({ type, 'x-mcp-header': name })
  const nested = { type: 'object', properties: { deep: property('string', 'Deep') } }
  const properties = {
    region: property('string', 'Region'),
    count: property('integer', 'Count'),
    dry: property('boolean', 'Dry'),
    odd: property('string', 'not a token\n'),
    nested,
  }
  const { url, state } = await start(t, [{ name: 'x_echo', inputSchema: { type: 'object', properties } }])
  const right = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'x_echo' }
  const send = async (args: object, headers: Record<string, string>) => {
    const answer = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...right, ...headers },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'x_echo', arguments: args, _meta },
      }),
    })
    const { error } = (await answer.json()) as { error?: { code: number } }
    return error?.code ?? answer.status
  }
  const encoded = (text: string | Buffer) => `=?base64?${Buffer.from(text).toString('base64')}?=`
  for (const [args, headers] of [
    [{}, {}],
    [{ region: null, other: 'x', odd: 'x' }, {}],
    [{ region: 'eu' }, { 'Mcp-Param-Region': 'eu' }],
    [{ region: 'zürich\n' }, { 'mcp-param-region': encoded('zürich\n') }],
    [
      { count: 42, dry: false },
      { 'mcp-param-count': '42.0', 'mcp-param-dry': 'false' },
    ],
    [{ nested: { deep: 'a' } }, { 'mcp-param-deep': 'a' }],
  ] as const)
    assert.equal(await send(args, headers), 200, JSON.stringify([args, headers]))
  const made = state.calls.length
  for (const [args, headers] of [
    [{ region: 'eu' }, {}],
    [{ region: 'eu' }, { 'mcp-param-region': 'us' }],
    [{ region: 'eu' }, { 'mcp-param-region': 'eu, eu' }],
    [{ region: 'eu' }, { 'mcp-param-region': '=?base64?ZXU?=' }],
    [{ region: 'eu' }, { 'mcp-param-region': '=?base64?ZX!U=?=' }],
    [{ region: '\ufffd' }, { 'mcp-param-region': encoded(Buffer.from([0xff])) }],
    [{ count: 42 }, { 'mcp-param-count': '0x2a' }],
    [{ dry: false }, { 'mcp-param-dry': 'true' }],
    [{ nested: { deep: 'a' } }, { 'mcp-param-deep': 'b' }],
  ] as const)
    assert.equal(await send(args, headers), -32020, JSON.stringify([args, headers]))
  assert.equal(state.calls.length, made)
})

test('F6: calls of one launcher are bounded', async (t) => {
  const { state, url } = await start(t)
  const held: (() => void)[] = []
  const full = Promise.withResolvers<void>()
  state.reply = (args, response) => {
    held.push(() => gives('late')(args, response))
    if (held.length === 32) full.resolve()
  }
  const waiting = Array.from({ length: 32 }, () => call(url, 'x_echo', {}))
  await full.promise
  const { status, body } = await call(url, 'x_echo', {})
  assert.deepEqual([status, body['error']], [429, 'too_many_tool_calls'])
  for (const release of held) release()
  for (const one of await Promise.all(waiting)) assert.equal(one.status, 200)
})
