import assert from 'node:assert/strict'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { mergeFixture } from '#plugins/recording/contract/format/merge.ts'
import { keyOfPart, sequenceOf } from '#plugins/recording/contract/format/part-key.ts'
import { endPart, modelPart, runId, toolPart } from '#plugins/recording/contract/format/testing/parts.ts'
import { runCli } from '#cli/testing/run-cli.ts'
import type { CliResult } from '#cli/testing/run-cli.ts'
import { sendRaw } from '#core/http/testing/raw-request.ts'
import type { FixtureResponse, FixturePart } from '#schemas/runs/fixture.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'

const answered = (body: unknown): { answer: FixtureResponse } => ({ answer: { kind: 'answer', body } })
const completion = (content: string) =>
  answered({
    id: 'c1',
    object: 'chat.completion',
    created: 1,
    model: 'mock-1',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
  })
const found = answered({ content: [{ type: 'text', text: 'found' }], isError: false })
const chat = (content: string, more: object = {}) => ({ model: 'mock', messages: [{ role: 'user', content }], ...more })

interface Serving {
  readonly url: string
  /** Sends JSON. */
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Response>
  /** Stops the command. */
  stop(): Promise<CliResult>
}

/** Runs the command until `stop`. */
async function serve(t: TestContext, path: string): Promise<Serving> {
  const [stopped, listening] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()]
  const result = runCli(['replay-serve', path, '-p', '0'], {
    untilStopped: () => stopped.promise,
    onOut: listening.resolve,
  })
  t.after(() => stopped.resolve())
  const ended = result.then(({ err }) => Promise.reject(new Error(err)))
  ended.catch(() => undefined)
  const url = new URL(((await Promise.race([listening.promise, ended])) as string).split('\n', 1)[0] ?? '').origin
  return {
    url,
    post: (to, body, headers = {}) =>
      fetch(`${url}${to}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    stop: () => {
      stopped.resolve()
      return result
    },
  }
}

function inFolder(t: TestContext) {
  const folder = tempFolder('replay')
  t.after(() => folder.remove())
  const file = (name: string): string => join(folder.path, name)
  const write = (name: string, value: unknown): string => {
    writeFileSync(file(name), typeof value === 'string' ? value : JSON.stringify(value))
    return file(name)
  }
  const merged = (...parts: readonly FixturePart[]): string => write('run.fixture.json', mergeFixture(runId, parts))
  const run = (...args: readonly string[]) => runCli(['replay-serve', ...args])
  return { path: folder.path, file, write, merged, run }
}

async function connectMcp(t: TestContext, url: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  t.after(() => client.close())
  return client
}

test('a recording answers public clients of both channels, whole and streamed, and the replay passes', async (t) => {
  const { merged } = inFolder(t)
  const message = { id: 'm1', type: 'message', role: 'assistant', model: 'mock-1', stop_reason: 'end_turn' }
  const said = {
    ...message,
    stop_sequence: null,
    content: [{ type: 'text', text: 'three' }],
    usage: { output_tokens: 1 },
  }
  const streamed = modelPart(2, 'b', completion('two'))
  const asked = { operation: 'messages', body: chat('c', { max_tokens: 5, stream: true }) } as const
  const path = merged(
    modelPart(1, 'a', completion('one')),
    { ...streamed, request: { operation: 'chat/completions', body: chat('b', { stream: true }) } } as FixturePart,
    { ...modelPart(3, 'c', answered(said)), request: asked } as FixturePart,
    toolPart(1, { q: 'x' }, found),
    endPart(3, 1),
  )
  const { url, stop } = await serve(t, path)
  const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none', maxRetries: 0 })
  const whole = await openai.chat.completions.create({ model: 'mock', messages: [{ role: 'user', content: 'a' }] })
  assert.equal(whole.choices[0]?.message.content, 'one')
  const stream = await openai.chat.completions.create({
    model: 'mock',
    messages: [{ role: 'user', content: 'b' }],
    stream: true,
    stream_options: { include_usage: true },
  })
  let [text, tokens] = ['', 0]
  for await (const { choices, usage } of stream) {
    text += choices[0]?.delta.content ?? ''
    tokens += usage?.total_tokens ?? 0
  }
  assert.deepEqual([text, tokens], ['two', 3])
  const anthropic = new Anthropic({ baseURL: url, apiKey: 'none', maxRetries: 0 })
  const final = await anthropic.messages
    .stream({ model: 'mock', max_tokens: 5, messages: [{ role: 'user', content: 'c' }] })
    .finalMessage()
  assert.deepEqual(
    final.content.map((block) => (block.type === 'text' ? block.text : block.type)),
    ['three'],
  )
  const models = await openai.models.list()
  assert.deepEqual(
    models.data.map(({ id }) => id),
    ['mock'],
  )
  const mcp = await connectMcp(t, `${url}/mcp/demo/notes`)
  const { tools } = await mcp.listTools()
  assert.deepEqual(
    tools.map(({ name, inputSchema }) => [name, inputSchema.properties]),
    [['echo', { q: {} }]],
  )
  const result = await mcp.callTool({ name: 'echo', arguments: { q: 'another text' } })
  assert.deepEqual(result.content, [{ type: 'text', text: 'found' }])
  assert.deepEqual(await stop(), {
    code: 0,
    out: `${url}/v1\n${url}/mcp/demo/notes\n`,
    err: '',
  })
})

test('a missing, an extra, a reordered and a different call exit with 2, and are named without values', async (t) => {
  const { merged } = inFolder(t)
  const path = merged(
    modelPart(1, 'a', completion('one')),
    modelPart(2, 'b', completion('two')),
    toolPart(1, { q: 'secret' }, found),
    endPart(2, 1),
  )
  const ofTool = (name: string, args: object) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: args },
  })
  for (const [why, calls, err] of [
    ['missing', ['a'], ['missing model call 100002', 'missing tool call 100001']],
    ['reordered', ['b', 'a', ['echo', { q: '' }]], ['reordered model call 100002']],
    [
      'another key',
      ['a', 'b', ['echo', { w: 'canary' }]],
      [
        'different tool call 100001: "+ argument w", "- argument q"; nearest recorded: tool call 100001, first different at "/arguments/q"',
      ],
    ],
    [
      'another tool',
      ['a', 'b', ['drop', { q: 'canary' }]],
      [
        'different tool call 100001: "+ tool demo/notes/drop", "- tool demo/notes/echo"; nearest recorded: tool call 100001, first different at "/name"',
      ],
    ],
    [
      'another shape',
      [['n', 1], 'b', ['echo', { q: '' }]],
      ['different model call 100001: "+ field n"; nearest recorded: model call 100001, first different at "/body/n"'],
    ],
  ] as const) {
    const { post, stop } = await serve(t, path)
    const statuses: number[] = []
    for (const call of calls) {
      const isTool = typeof call !== 'string' && call[0] !== 'n'
      const body =
        typeof call === 'string' ? chat(call) : isTool ? ofTool(call[0], call[1] as object) : chat('a', { n: 1 })
      const answer = await post(isTool ? '/mcp/notes' : '/v1/chat/completions', body)
      statuses.push(answer.status)
      const text = await answer.text()
      assert.equal(
        /differs from its recording/.test(text),
        err.join().includes('different') && /replay_diverged|-32000/.test(text),
        why,
      )
      assert.doesNotMatch(text, /canary/)
    }
    assert.equal(statuses.includes(422), why === 'another shape', why)
    const { code, err: printed } = await stop()
    assert.deepEqual([code, printed], [2, `${err.join('\n')}\n`], why)
  }
  const extra = await serve(t, path)
  for (const text of ['a', 'b']) assert.equal((await extra.post('/v1/chat/completions', chat(text))).status, 200)
  assert.equal((await extra.post('/mcp/notes', ofTool('echo', { q: '' }))).status, 200)
  const refused = await extra.post('/v1/chat/completions', chat('canary'))
  assert.deepEqual([refused.status, refused.headers.get('x-should-retry')], [422, 'false'])
  const { code, err } = await extra.stop()
  assert.equal(code, 2)
  assert.match(
    err,
    /^extra model call: "\+ operation chat\/completions".*; nearest recorded: model call 100002, first different at "\/body\/messages\/0\/content"/,
  )
  assert.doesNotMatch(err, /canary/)
})

test('recorded errors are errors again, and a call whose caller left waits until this one leaves', async (t) => {
  const { merged } = inFolder(t)
  const failed: FixtureResponse = { kind: 'error', status: 429, code: 'rate_limited', message: 'slow down' }
  const path = merged(
    modelPart(1, 'a', { answer: failed }),
    modelPart(2, 'b', { answer: { kind: 'aborted' } }),
    toolPart(1, {}, { answer: { ...failed, status: 502 } }),
    endPart(2, 1),
  )
  const { url, post, stop } = await serve(t, path)
  const refused = await post('/v1/chat/completions', chat('a'))
  assert.equal(refused.status, 429)
  assert.deepEqual(((await refused.json()) as { error: { code: string; message: string } }).error.code, 'rate_limited')
  const gone = new AbortController()
  const waiting = fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(chat('b')),
    signal: gone.signal,
  })
  const tool = await post('/mcp/notes', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo' } })
  assert.deepEqual(((await tool.json()) as { error: object }).error, { code: -32603, message: 'slow down' })
  gone.abort()
  await assert.rejects(waiting, /abort/i)
  const { code, err } = await stop()
  // The aborted request may have ended before it was read.
  assert.ok(code === 0 || err === 'missing model call 100002\n', err)
})

test('requests have their recorded hash without their secrets, and a recording that is not complete says so', async (t) => {
  const key = `sk-ant-${'a'.repeat(40)}`
  const { merged } = inFolder(t)
  const path = merged(
    modelPart(1, 'mail [redacted]', completion('one')),
    modelPart(2, 'use [redacted]', completion('two')),
    modelPart(3, 'lost', { answer: { kind: 'omitted', reason: 'unreadable' } }),
    endPart(3, 0, { redact: ['email'] }),
  )
  const { post, stop } = await serve(t, path)
  // Out of order on purpose: only equal hashes find the recorded calls then.
  for (const [text, answer] of [
    [`use ${key}`, 'two'],
    ['mail a@b.example', 'one'],
  ] as const)
    assert.match(await (await post('/v1/chat/completions', chat(text))).text(), new RegExp(`"content":"${answer}"`))
  assert.equal((await post('/v1/chat/completions', chat('lost'))).status, 422)
  assert.deepEqual(await stop().then(({ code, err }) => [code, err.split('\n')]), [
    2,
    [
      'the recording is not complete: calls that it does not have cannot be answered',
      'reordered model call 100002',
      'model call 100003: its response is not recorded (unreadable)',
      '',
    ],
  ])
})

test('the parts of a folder are merged as they were stored; links are not followed', async (t) => {
  const { path, file, write } = inFolder(t)
  const parts = file('parts')
  for (const part of [modelPart(1, 'a', completion('one')), endPart(1, 0)]) {
    const key = keyOfPart({ runId, channel: part.channel, sequence: sequenceOf(part) })
    mkdirSync(join(parts, key, '..'), { recursive: true })
    writeFileSync(join(parts, key), JSON.stringify(part))
  }
  symlinkSync(write('outside.json', modelPart(2, 'b')), join(parts, 'link.json'))
  writeFileSync(join(parts, 'notes.txt'), 'no part')
  const { post, stop } = await serve(t, parts)
  assert.equal((await post('/v1/chat/completions', chat('a'))).status, 200)
  assert.deepEqual((await stop()).code, 0, path)
})

test('F1, F5: a path without a usable recording exits with 1, what is wrong without its content, and what to do', async (t) => {
  const { file, write, merged, run } = inFolder(t)
  const fixture = mergeFixture(runId, [modelPart(1, 'canary'), endPart(1, 0)])
  const [call] = fixture.model
  mkdirSync(file('empty'))
  mkdirSync(file('two'))
  for (const [name, id] of [
    ['two/a.json', runId],
    ['two/b.json', '019a0000-0000-7000-8000-000000000002'],
  ] as const)
    write(name, { ...modelPart(1, 'canary'), runId: id })
  const deepText = JSON.stringify(fixture).replace('"canary"', `${'['.repeat(50_000)}1${']'.repeat(50_000)}`)
  const fails = async (path: string, why: RegExp, ...more: readonly string[]): Promise<void> => {
    const { code, out, err } = await run(path, ...more)
    assert.deepEqual([code, out], [1, ''], err)
    assert.match(err, why)
    assert.doesNotMatch(err, /canary|\n\s+at /)
    assert.match(err, /^meshctl: [^\n]+\n(?:Choose another|meshctl dev --record)[^\n]+\n$/)
  }
  await fails(file('none'), /cannot be read: ENOENT/)
  await fails(file('empty'), /has no part of a recording/)
  await fails(file('two'), /has parts of more than one run/)
  await fails('/dev/null', /is neither a file nor a folder/)
  await fails(`${file('a')}\0`, /cannot be read: ERR_INVALID_ARG_VALUE/)
  await fails(write('text.json', 'canary'), /is not a recording \(mesh.fixture\/v1\)/)
  await fails(write('null.json', 'null'), /is not a recording/)
  await fails(
    write('v2.json', { ...fixture, format: 'mesh.fixture/v2' }),
    /has the format mesh\.fixture\/v2, which this version does not read/,
  )
  await fails(write('call.json', { ...fixture, model: [{ ...call, epoch: 2 ** 31 }] }), /"\/model\/0/)
  await fails(write('redact.json', { ...fixture, redact: ['canary('] }), /"\/redact" has a pattern that is not valid/)
  await fails(write('deep.json', deepText), /is nested too deeply|is not a recording/)
  await fails(write('binary.json', Buffer.from([0x7b, 0xff, 0x1b]).toString('latin1')), /is not a recording/)
  const missing = await run()
  assert.equal(missing.code, 1)
  assert.match(missing.err, /^meshctl: FIXTURE_PATH is missing[^\n]+\n[^\n]+\n$/)
  const taken = await serve(t, merged(modelPart(1, 'a'), endPart(1, 0)))
  await fails(file('run.fixture.json'), /^meshctl: port \d+ cannot be used: EADDRINUSE/, '-p', new URL(taken.url).port)
  for (const port of ['65536', '-1', '4e3', '', '4000 ', '9'.repeat(400)]) {
    const { code, err } = await run(file('run.fixture.json'), `--port=${port}`)
    assert.equal(code, 1, err)
    assert.match(err, /^meshctl: --port/)
  }
})

test('R2-UX-21: responses and errors of a replay end with a newline', async (t) => {
  const { merged } = inFolder(t)
  const { url, post } = await serve(
    t,
    merged(modelPart(1, 'a', completion('one')), toolPart(1, {}, found), endPart(1, 1)),
  )
  for (const [response, status] of [
    [await fetch(`${url}/v1/models`), 200],
    [await fetch(`${url}/v1/chat/completions`), 405],
    [await post('/none', {}), 404],
    [await post('/v1/chat/completions', '{'), 400],
    [await post('/mcp/none', {}, { 'content-type': 'text/plain' }), 415],
  ] as const) {
    const text = await response.text()
    assert.equal(response.status, status)
    assert.match(text, /\}\n$/)
    assert.equal(response.headers.get('content-length'), String(Buffer.byteLength(text)))
  }
})

test('H1: the listener refuses pages, foreign names, other types, large bodies and odd targets', async (t) => {
  const { merged } = inFolder(t)
  const path = merged(modelPart(1, 'a', completion('one')), toolPart(1, {}, found), endPart(1, 1))
  const { url, post, stop } = await serve(t, path)
  const { port } = new URL(url)
  const to = '/v1/chat/completions'
  const body = JSON.stringify(chat('a'))
  const head = (lines: readonly string[], target = to): string =>
    [`POST ${target} HTTP/1.1`, `Content-Length: ${body.length}`, 'Content-Type: application/json', ...lines].join('\n')
  const host = `Host: 127.0.0.1:${port}`
  for (const [lines, status, target] of [
    [['Host: evil.example'], 421, to],
    [[host, 'Host: evil.example'], 421, to],
    [[host, 'Origin: http://evil.example'], 403, to],
    [[host, 'Origin: null'], 403, to],
    [[host, 'Sec-Fetch-Site: cross-site'], 403, to],
    [[host, ...Array.from({ length: 70 }, (_, at) => `X-${at}: 1`)], 431, to],
    [[host], 404, '/v1/chat/completions/'],
    [[host], 404, '/mcp/%E0%A4%A'],
    [[host], 404, '/mcp/__proto__'],
    [[host], 404, '*'],
    [[host], 404, `http://127.0.0.1:${port}${to}`],
  ] as const) {
    const raw = sendRaw(Number(port), head(lines, target), body)
    assert.equal(await raw.status, status, `${lines.join()} ${target}`)
    raw.socket.destroy()
  }
  const large = sendRaw(
    Number(port),
    `POST ${to} HTTP/1.1\n${host}\nContent-Type: application/json\nContent-Length: 9000000`,
  )
  assert.equal(await large.status, 413)
  large.socket.destroy()
  const chunked = sendRaw(
    Number(port),
    `POST ${to} HTTP/1.1\n${host}\nContent-Type: application/json\nTransfer-Encoding: chunked`,
    `${(5_000_000).toString(16)}\r\n${' '.repeat(5_000_000)}`,
  )
  assert.equal(await chunked.status, 413)
  chunked.socket.destroy()
  assert.equal((await post(to, body, { 'content-type': 'text/plain' })).status, 415)
  for (const odd of [
    '',
    '[]',
    '{',
    'null',
    '{"__proto__":{}}',
    '['.repeat(100_000),
    '{"a":"\\u0000"}',
    '{"a":"\\ud800"}',
  ])
    assert.equal((await post(to, odd)).status, 400, odd.slice(0, 20))
  for (const odd of [
    {},
    { jsonrpc: '1.0' },
    { jsonrpc: '2.0', id: {}, method: 'ping' },
    { jsonrpc: '2.0', id: 1, method: 2 },
  ])
    assert.notEqual((await post('/mcp/demo/notes', odd)).status, 200, JSON.stringify(odd))
  assert.equal((await fetch(`${url}/mcp/demo/notes`)).status, 405)
  assert.equal((await fetch(`${url}${to}`)).status, 405)
  assert.equal((await post('/mcp/demo%2Fnotes', { jsonrpc: '2.0', method: 'notifications/initialized' })).status, 202)
  const unknown = (await (await post('/mcp/notes', { jsonrpc: '2.0', id: 1, method: 'x' })).json()) as {
    error: { code: number }
  }
  assert.equal(unknown.error.code, -32601)
  // Nothing of this was a call of the recording.
  assert.deepEqual((await stop()).err, 'missing model call 100001\nmissing tool call 100001\n')
})
