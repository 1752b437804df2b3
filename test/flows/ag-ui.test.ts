import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import test from 'node:test'
import { buildResumeArray, HttpAgent } from '@ag-ui/client'
import type { HttpAgentConfig, RunAgentParameters } from '@ag-ui/client'
import type { Persona } from '#local/data-folder/personas.ts'
import { AG_UI_TYPE } from '#plugins/runs/ag-ui/accepts.ts'
import { allowInvoke } from './platform/allow-invoke.ts'
import type { Platform } from './platform/running-platform.ts'
import { sharedEmbedded } from './platform/shared-platform.ts'

// Streams a step with a text and a tool call. `fail` fails; `plain` answers without a stream.
const source = `
require('node:http').createServer(async (request, response) => {
  if (request.url === '/healthz') return response.end()
  let text = ''
  for await (const chunk of request) text += chunk
  const { input, context } = JSON.parse(text)
  const before = (context?.history ?? []).map((turn) => turn.input)
  if (input === 'plain') return response.setHeader('content-type', 'application/json').end(JSON.stringify({ output: { before } }))
  response.setHeader('content-type', 'text/event-stream')
  const send = (event, data) => response.write('event: ' + event + '\\ndata: ' + JSON.stringify(data) + '\\n\\n')
  send('step.started', { step: 1, name: 'think' })
  send('message.delta', { text: 'You said ' })
  send('message.delta', { text: input })
  send('tool.started', { toolCallId: 'call-1', name: 'look', arguments: { at: 'clock' } })
  send('tool.finished', { toolCallId: 'call-1', name: 'look', result: 'noon' })
  send('step.finished', { step: 1, name: 'think' })
  if (input === 'fail') send('error', { message: 'no idea' })
  else send('output', { before })
  response.end()
}).listen(process.env.AGENT_PORT, '127.0.0.1')`

interface SentEvent {
  readonly type: string
  readonly [field: string]: unknown
}

interface Finished {
  readonly events: readonly SentEvent[]
  readonly types: readonly string[]
  readonly errors: readonly string[]
  readonly status: number | undefined
  readonly result: unknown
}

function clientsOf({ url, tokens }: Platform) {
  const open = (persona: Persona, agent: string, more: Partial<HttpAgentConfig> = {}): HttpAgent =>
    new HttpAgent({
      url: `${url}/api/agents/${agent}/ag-ui`,
      headers: { authorization: `Bearer ${tokens[persona]}` },
      ...more,
    })
  const run = async (client: HttpAgent, say?: string, parameters: RunAgentParameters = {}): Promise<Finished> => {
    const events: SentEvent[] = []
    const errors: string[] = []
    let status: number | undefined
    if (say !== undefined) client.addMessage({ id: randomUUID(), role: 'user', content: say })
    const ended = await client
      .runAgent(parameters, {
        onEvent: ({ event }) => void events.push(event),
        onRunFailed: ({ error }) => {
          errors.push(error.message)
          if ('status' in error) status = Number(error.status)
        },
      })
      .catch(() => undefined)
    return { events, types: events.map(({ type }) => type), errors, status, result: ended?.result }
  }
  return { open, run }
}

/** Types without the parts of texts: a late reader receives a text as one part. */
const shape = (types: readonly string[]): readonly string[] => types.filter((type) => type !== 'TEXT_MESSAGE_CONTENT')

test('AG-UI: the public client runs agents, answers their interrupts and reads their streams', async (t) => {
  const platform = await sharedEmbedded()
  const { open, run } = clientsOf(platform)
  const agent = 'default/ag-ui-chatty'
  const developer = platform.tokens.developer
  const made = await platform.send({
    method: 'POST',
    path: '/api/agents',
    bearer: developer,
    body: {
      namespace: 'default',
      config: { name: 'ag-ui-chatty', runtime: { command: ['node', '-e', source] }, limits: { concurrency: 4 } },
    },
  })
  assert.equal(made.status, 201, made.text)
  const first = await platform.send({
    method: 'POST',
    path: '/api/invoke',
    bearer: developer,
    body: { agent: { namespace: 'default', name: 'ag-ui-chatty' }, input: 'plain', timeout: '5m' },
  })
  assert.equal(first.json<{ state: string }>().state, 'succeeded', first.text)

  await t.test('a run: text, steps, tools, result, and the conversation of its thread', async () => {
    const client = open('developer', agent, { threadId: 'ag-ui-thread' })
    const said = await run(client, 'hello', { runId: 'client-run' })
    assert.deepEqual(said.errors, [])
    assert.deepEqual(shape(said.types), [
      'RUN_STARTED',
      'STEP_STARTED',
      'TEXT_MESSAGE_START',
      'TOOL_CALL_START',
      'TOOL_CALL_ARGS',
      'TOOL_CALL_END',
      'TOOL_CALL_RESULT',
      'STEP_FINISHED',
      'TEXT_MESSAGE_END',
      'RUN_FINISHED',
    ])
    assert.deepEqual([said.events[0]?.['threadId'], said.events[0]?.['runId']], ['ag-ui-thread', 'client-run'])
    assert.deepEqual(
      client.messages.filter(({ role }) => role !== 'user').map(({ role, content }) => [role, content]),
      [
        ['assistant', 'You said hello'],
        ['assistant', undefined],
        ['tool', 'noon'],
      ],
    )
    assert.deepEqual(said.result, { before: [] })
    // The client sends the whole conversation; the run has the last message as its input, and its history from the platform.
    const again = await run(client, 'plain')
    assert.deepEqual(again.errors, [])
    assert.deepEqual(again.result, { before: ['hello'] })
  })

  await t.test('a failed run is RUN_ERROR with its code', async () => {
    const failed = await run(open('developer', agent), 'fail')
    const last = failed.events.at(-1)
    assert.deepEqual([last?.type, last?.['code'], last?.['message']], ['RUN_ERROR', 'agent_error', 'no idea'])
  })

  await t.test('an interrupt: approved, with edited arguments, denied, abandoned', async () => {
    const pausedClient = async (): Promise<HttpAgent> => {
      const client = open('developer', 'demo/careful')
      const paused = await run(client, 'Please approve.')
      assert.deepEqual(paused.errors, [])
      const outcome = paused.events.at(-1)?.['outcome'] as { type: string }
      assert.equal(outcome.type, 'interrupt')
      const [interrupt] = client.pendingInterrupts
      assert.equal(interrupt?.reason, 'tool_call')
      // The call that waits is part of the conversation.
      const call = paused.events.find(({ type }) => type === 'TOOL_CALL_START')
      assert.deepEqual([call?.['toolCallName'], call?.['toolCallId']], ['calculate', interrupt?.toolCallId])
      return client
    }
    const answer = (client: HttpAgent, payload: unknown) => {
      const interrupts = client.pendingInterrupts
      const responses = Object.fromEntries(interrupts.map(({ id }) => [id, { status: 'resolved' as const, payload }]))
      return run(client, undefined, { resume: buildResumeArray(interrupts, responses) })
    }
    const approving = await pausedClient()
    const approved = await answer(approving, { approved: true })
    assert.deepEqual(approved.errors, [])
    assert.deepEqual(shape(approved.types).slice(0, 2), ['RUN_STARTED', 'TOOL_CALL_RESULT'])
    assert.equal(approved.result, 'The answer is 42.')
    assert.deepEqual(
      approving.messages.filter(({ role }) => role === 'tool').map(({ content }) => content),
      ['{"result":42}'],
    )

    const editing = await pausedClient()
    const edited = await answer(editing, { approved: true, editedArgs: { expression: '2 + 3' } })
    assert.deepEqual(edited.errors, [])
    assert.equal(edited.events.find(({ type }) => type === 'TOOL_CALL_RESULT')?.['content'], '{"result":5}')

    const denying = await pausedClient()
    const denied = await answer(denying, { approved: false, reason: 'no numbers' })
    assert.deepEqual(denied.errors, [])
    assert.match(String(denied.events.find(({ type }) => type === 'TOOL_CALL_RESULT')?.['content']), /no numbers/)

    const leaving = await pausedClient()
    const resume = leaving.pendingInterrupts.map(({ id }) => ({ interruptId: id, status: 'cancelled' as const }))
    const left = await run(leaving, undefined, { resume })
    assert.equal(left.events.at(-1)?.['code'], 'approval_denied')
  })

  await t.test('answers are checked: all interrupts of one run of the thread, and repeats change nothing', async () => {
    const client = open('developer', 'demo/careful', { threadId: 'ag-ui-checked' })
    await run(client, 'Please approve.')
    const [interrupt] = client.pendingInterrupts
    const interruptId = interrupt?.id ?? ''
    const post = async (persona: Persona, resume: unknown, more: { threadId?: string; to?: string } = {}) => {
      const { threadId = 'ag-ui-checked', to = 'demo/careful' } = more
      return platform.send({
        method: 'POST',
        path: `/api/agents/${to}/ag-ui`,
        bearer: platform.tokens[persona],
        body: { threadId, runId: 'r', messages: [], resume },
      })
    }
    const yes = { interruptId, status: 'resolved', payload: { approved: true } }
    const codeOf = async (...of: Parameters<typeof post>): Promise<unknown> => {
      const { status, text } = await post(...of)
      const { code, errors } = JSON.parse(text) as { code: string; errors?: readonly { pointer: string }[] }
      return [status, code, ...(errors ?? []).map(({ pointer }) => pointer)]
    }
    for (const [resume, pointer] of [
      [[{ ...yes, payload: { approved: 'yes' } }], '/resume/0/payload/approved'],
      [[{ ...yes, payload: null }], '/resume/0/payload/approved'],
      [[{ ...yes, payload: { approved: true, editedArgs: [] } }], '/resume/0/payload/editedArgs'],
      [[{ ...yes, payload: { approved: false, reason: 'x'.repeat(1025) } }], '/resume/0/payload/reason'],
      [[{ ...yes, interruptId: 'int_1' }], '/resume/0/interruptId'],
      [[{ ...yes, interruptId: `${interruptId}x` }], '/resume/0/interruptId'],
      [[yes, { ...yes, interruptId: `${randomUUID()}/x` }], '/resume/1/interruptId'],
      [[yes, yes], '/resume/1/interruptId'],
      [[{ ...yes, status: 'done' }], '/resume/0/status'],
      [Array.from({ length: 101 }, () => yes), '/resume'],
    ] as const)
      assert.deepEqual(await codeOf('developer', resume), [400, 'invalid_body', pointer], pointer)
    for (const unknown of ['x/y', `${randomUUID()}/y`, `../${interruptId}`])
      assert.deepEqual(await codeOf('developer', [{ ...yes, interruptId: unknown }]), [404, 'not_found'])
    // Of another thread and of another agent, and of a namespace that the caller may not read.
    assert.deepEqual(await codeOf('developer', [yes], { threadId: 'other' }), [404, 'not_found'])
    assert.deepEqual(await codeOf('developer', [yes], { to: 'demo/hello' }), [404, 'not_found'])
    assert.equal((await post('other-tenant', [yes])).status, 403)
    const decided = await post('developer', [yes])
    assert.match(decided.text, /"RUN_FINISHED"/)
    const repeated = await post('developer', [yes])
    assert.deepEqual(eventsOf(repeated.text), eventsOf(decided.text))
    assert.deepEqual(await codeOf('developer', [{ ...yes, payload: { approved: false } }]), [
      400,
      'invalid_body',
      '/resume/0/interruptId',
    ])
  })

  await t.test('who may run the agent is decided by the cluster', async () => {
    await allowInvoke(platform, 'other-tenant', 'ag-ui-chatty')
    for (const persona of ['viewer', 'developer', 'other-tenant', 'operator'] as const) {
      const may = async (verb: string, resource: string, subresource = '', name = ''): Promise<boolean> => {
        const answer = await platform.kube({
          method: 'POST',
          path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
          bearer: platform.tokens[persona],
          body: {
            apiVersion: 'authorization.k8s.io/v1',
            kind: 'SelfSubjectAccessReview',
            spec: {
              resourceAttributes: { group: 'mesh.dev', namespace: 'default', verb, resource, subresource, name },
            },
          },
        })
        return answer.json<{ status: { allowed: boolean } }>().status.allowed
      }
      const allowed = (await may('create', 'agentdeployments', 'invoke', 'ag-ui-chatty')) && (await may('get', 'runs'))
      const answer = await run(open(persona, agent), 'plain')
      assert.deepEqual([persona, answer.status], [persona, allowed ? undefined : 403])
      assert.equal(answer.types.at(-1), allowed ? 'RUN_FINISHED' : undefined)
    }
    const anonymous = await run(open('developer', agent, { headers: {} }), 'plain')
    assert.equal(anonymous.status, 401)
  })

  await t.test('F5, X3: bad input is a 400 that names the field, and makes no run', async () => {
    const count = async (): Promise<number> => {
      const path = '/api/agents/default/ag-ui-chatty/runs?limit=200'
      return (await platform.send({ path, bearer: developer })).json<{ items: unknown[] }>().items.length
    }
    const before = await count()
    const hi = { id: 'm', role: 'user', content: 'hi' }
    const valid = { threadId: 'bad-input', runId: 'r', messages: [hi] }
    const post = (body: unknown) =>
      platform.send({ method: 'POST', path: `/api/agents/${agent}/ag-ui`, bearer: developer, body })
    for (const [body, pointer] of [
      [{ ...valid, threadId: 'a b' }, '/threadId'],
      [{ ...valid, threadId: 'x'.repeat(129) }, '/threadId'],
      [{ ...valid, threadId: '../x' }, '/threadId'],
      [{ ...valid, threadId: 2 ** 31 }, '/threadId'],
      [{ ...valid, runId: '' }, '/runId'],
      [{ ...valid, runId: 'x'.repeat(257) }, '/runId'],
      [{ ...valid, runId: '\u0000' }, '/runId'],
      [{ ...valid, messages: 'hi' }, '/messages'],
      [{ ...valid, messages: [] }, '/messages'],
      [{ ...valid, messages: [hi, { id: 'n', role: 'assistant', content: 'x' }] }, '/messages'],
      [{ ...valid, messages: [hi, { id: 'n', role: 'tool', content: 'x' }] }, '/messages'],
      [{ ...valid, messages: [{ ...hi, content: null }] }, '/messages/0/content'],
      [{ ...valid, messages: [{ ...hi, content: [{ type: 'image' }] }] }, '/messages/0/content/0'],
      [{ ...valid, messages: [hi, { ...hi, content: [{ type: 'text', text: 1 }] }] }, '/messages/1/content/0'],
      [{ ...valid, messages: [{ ...hi, content: '\ud800' }] }, '/messages/0/content'],
      [{ ...valid, messages: Array.from({ length: 10_001 }, () => ({ role: 'user' })) }, '/messages'],
    ] as const) {
      const { status, text } = await post(body)
      assert.deepEqual([status, JSON.parse(text).errors?.[0]?.pointer], [400, pointer], text)
    }
    assert.equal((await post(undefined)).status, 400)
    assert.equal((await post({ ...valid, forwardedProps: 'x'.repeat(1024 * 1024) })).status, 413)
    for (const path of ['/api/agents/default/no-such-agent/ag-ui', '/api/agents/no-such-namespace/x/ag-ui'])
      assert.equal(
        (await platform.send({ method: 'POST', path, bearer: platform.tokens.admin, body: valid })).status,
        404,
      )
    assert.equal(await count(), before)
  })

  await t.test('the streams of runs speak AG-UI when it is accepted, and continue after Last-Event-ID', async () => {
    const accept = AG_UI_TYPE
    const invoked = await platform.send({
      method: 'POST',
      path: '/api/invoke',
      bearer: developer,
      headers: { accept },
      body: { agent: { namespace: 'default', name: 'ag-ui-chatty' }, input: 'streamed' },
    })
    assert.equal(invoked.status, 200, invoked.text)
    const id = String(invoked.headers['x-mesh-run-id'])
    // The public client reads the stream of the run; its own request is another one.
    const read = (headers: Readonly<Record<string, string>>) =>
      fetch(`${platform.url}/api/runs/${id}/events`, {
        headers: { authorization: `Bearer ${developer}`, accept, ...headers },
      })
    const whole = await run(open('developer', agent, { fetch: () => read({}) }))
    assert.deepEqual(whole.errors, [])
    assert.deepEqual(
      shape(whole.types),
      eventsOf(invoked.text).map(({ type }) => type),
    )
    const said = whole.events.flatMap(({ delta, type }) => (type === 'TEXT_MESSAGE_CONTENT' ? [delta] : []))
    assert.equal(said.join(''), 'You said streamed')
    assert.deepEqual([whole.types[0], whole.types.at(-1)], ['RUN_STARTED', 'RUN_FINISHED'])
    const text = await (await read({})).text()
    const ids = text.matchAll(/^id: (\d+)$/gm)
    for (const [, at = ''] of ids) {
      // A position is one where nothing is open: a text that had begun would be sent again.
      const before = text.slice(0, text.indexOf('\n\n', text.indexOf(`id: ${at}\n`)))
      const count = (type: string): number => before.split(`"type":"${type}"`).length
      assert.equal(count('TEXT_MESSAGE_START'), count('TEXT_MESSAGE_END'), `position ${at}`)
      const rest = await read({ 'last-event-id': at })
      const expected = text
        .slice(text.indexOf(`id: ${at}\n`))
        .split('\n\n')
        .slice(1)
        .join('\n\n')
      if (rest.status === 204) assert.doesNotMatch(expected, /data:/)
      else assert.deepEqual(eventsOf(await rest.text()), eventsOf(expected))
    }
    assert.equal((await read({ 'last-event-id': '99999' })).status, 400)
  })
})

/** Events of the text of a stream, without times and parts of texts. */
function eventsOf(text: string): readonly SentEvent[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line): SentEvent => JSON.parse(line.slice(6)))
    .filter(({ type }) => type !== 'TEXT_MESSAGE_CONTENT')
    .map((event) => ({ ...event, timestamp: 0 }))
}
