import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import test from 'node:test'
import { Role, TaskState } from '@a2a-js/sdk'
import type { Message, StreamResponse, Task } from '@a2a-js/sdk'
import { ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory } from '@a2a-js/sdk/client'
import type { Client } from '@a2a-js/sdk/client'
import type { Persona } from '#local/data-folder/personas.ts'
import { allowInvoke } from './platform/allow-invoke.ts'
import type { Platform } from './platform/running-platform.ts'
import { sharedEmbedded } from './platform/shared-platform.ts'

// Streams what it was sent. `fail` fails, `wait` never answers, an object is answered with itself and the earlier inputs.
const source = `
require('node:http').createServer(async (request, response) => {
  if (request.url === '/healthz') return response.end()
  let text = ''
  for await (const chunk of request) text += chunk
  const { input, context } = JSON.parse(text)
  const send = (event, data) => response.write('event: ' + event + '\\ndata: ' + JSON.stringify(data) + '\\n\\n')
  if (input === 'wait') return
  response.setHeader('content-type', 'text/event-stream')
  if (input === 'fail') {
    send('error', { message: 'no idea' })
    return response.end()
  }
  if (typeof input === 'object') {
    send('output', { input, before: (context?.history ?? []).map((turn) => turn.input) })
    return response.end()
  }
  send('message.delta', { text: 'You said ' })
  send('message.delta', { text: input })
  response.end()
}).listen(process.env.AGENT_PORT, '127.0.0.1')`

const name = 'a2a-echo'
const skills = [{ id: 'echo', name: 'Echo', description: 'Says it again.', tags: ['test'], examples: ['Hi.'] }]

function clientsOf({ url, tokens }: Platform) {
  const baseOf = (agent: string): string => `${url}/api/agents/${agent}/a2a/`
  const open = async (persona: Persona, agent: string, version?: '0.3'): Promise<Client> => {
    const fetchImpl: typeof fetch = (input, init) => {
      const headers = new Headers(init?.headers)
      headers.set('authorization', `Bearer ${tokens[persona]}`)
      // Clients of 0.3 send no version.
      if (version !== undefined) headers.delete('a2a-version')
      return fetch(input, { ...init, headers })
    }
    const legacyCompat = { enabled: version !== undefined }
    const factory = new ClientFactory({
      transports: [new JsonRpcTransportFactory({ fetchImpl, legacyCompat })],
      cardResolver: new DefaultAgentCardResolver({ fetchImpl, legacyCompat }),
    })
    return factory.createFromUrl(baseOf(agent))
  }
  return { open, baseOf }
}

function toMessage(content: string | object, more: Partial<Message> = {}): Message {
  const value =
    typeof content === 'string'
      ? ({ $case: 'text', value: content } as const)
      : ({ $case: 'data', value: content } as const)
  return {
    messageId: randomUUID(),
    contextId: '',
    taskId: '',
    role: Role.ROLE_USER,
    parts: [{ content: value, metadata: undefined, filename: '', mediaType: '' }],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
    ...more,
  }
}

const noTenant = { tenant: '', metadata: undefined }

function send(client: Client, message: Message, returnImmediately = false) {
  const configuration = { acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately }
  return client.sendMessage({ ...noTenant, message, configuration })
}

async function taskOf(sent: ReturnType<typeof send>): Promise<Task> {
  const result = await sent
  assert.ok('status' in result, 'the answer is a task')
  return result
}

const atWork: readonly unknown[] = [TaskState.TASK_STATE_SUBMITTED, TaskState.TASK_STATE_WORKING]

/** The task of a message when it has ended or asks. A slow machine may exceed the wait of the method. */
async function settled(client: Client, sent: ReturnType<typeof send>): Promise<Task> {
  let task = await taskOf(sent)
  while (atWork.includes(task.status?.state)) {
    await collect(client.resubscribeTask({ tenant: '', id: task.id })).catch(() => undefined)
    task = await client.getTask({ tenant: '', id: task.id, historyLength: undefined })
  }
  return task
}

async function collect(stream: AsyncIterable<StreamResponse>): Promise<readonly StreamResponse['payload'][]> {
  const found: StreamResponse['payload'][] = []
  for await (const { payload } of stream) found.push(payload)
  return found
}

const outputOf = ({ artifacts }: Task): unknown => artifacts[0]?.parts[0]?.content?.value

/** Code of a refused call: that of JSON-RPC, as the SDK has it. */
async function codeOf(call: Promise<unknown>): Promise<unknown> {
  const error: unknown = await call.then(
    () => undefined,
    (refused: unknown) => refused,
  )
  return error instanceof Error && 'envelopeCode' in error ? error.envelopeCode : error
}

test('A2A: the public client discovers agents, sends messages and follows tasks', async (t) => {
  const platform = await sharedEmbedded()
  const { open, baseOf } = clientsOf(platform)
  const agent = `default/${name}`
  const bearer = platform.tokens.developer
  const config = { name, runtime: { command: ['node', '-e', source] }, limits: { concurrency: 4 } }
  const exposed = { ...config, a2a: { expose: true, description: 'An echo.', skills } }
  const made = await platform.send({
    method: 'POST',
    path: '/api/agents',
    bearer,
    body: { namespace: 'default', config: exposed },
  })
  assert.equal(made.status, 201, made.text)
  const first = await platform.send({
    method: 'POST',
    path: '/api/invoke',
    bearer,
    body: { agent: { namespace: 'default', name }, input: 'hello', timeout: '5m' },
  })
  assert.equal(first.json<{ state: string }>().state, 'succeeded', first.text)
  const client = await open('developer', agent)
  const rpc = (body: unknown, headers: Readonly<Record<string, string>> = {}, persona: Persona = 'developer') =>
    platform.send({ method: 'POST', path: `/api/agents/${agent}/a2a`, bearer: platform.tokens[persona], body, headers })

  const count = async (): Promise<number> => {
    const path = `/api/agents/${agent}/runs?limit=200`
    return (await platform.send({ path, bearer })).json<{ items: unknown[] }>().items.length
  }

  await t.test('the card names the agent, its skills, the route and the bearer', async () => {
    const card = await client.getAgentCard()
    assert.deepEqual([card.name, card.description, card.skills[0]?.id], [name, 'An echo.', 'echo'])
    assert.deepEqual(
      card.supportedInterfaces.map(({ url, protocolVersion }) => [url, protocolVersion]),
      ['1.0', '0.3'].map((version) => [baseOf(agent).slice(0, -1), version]),
    )
    assert.equal(card.securitySchemes['bearer']?.scheme?.$case, 'httpAuthSecurityScheme')
    assert.deepEqual([card.capabilities?.streaming, card.capabilities?.pushNotifications], [true, false])
  })

  await t.test('a message is a run of the caller; context and task are conversation and run', async () => {
    const task = await settled(client, send(client, toMessage('hello', { contextId: 'a2a-context' })))
    assert.equal(task.status?.state, TaskState.TASK_STATE_COMPLETED)
    assert.equal(outputOf(task), 'You said hello')
    assert.equal(task.contextId, 'a2a-context')
    const run = (await platform.send({ path: `/api/runs/${task.id}`, bearer })).json<{
      trigger: object
      subject: string
      conversationId: string
    }>()
    assert.deepEqual(run.trigger, { kind: 'a2a', by: 'developer' })
    assert.deepEqual([run.subject, run.conversationId], ['developer', 'a2a-context'])
    const again = await settled(client, send(client, toMessage({ a: [1] }, { contextId: 'a2a-context' })))
    assert.deepEqual(outputOf(again), { input: { a: [1] }, before: ['hello'] })
    const read = await client.getTask({ tenant: '', id: task.id, historyLength: undefined })
    assert.deepEqual([outputOf(read), read.history[0]?.parts[0]?.content?.value], ['You said hello', 'hello'])
    const bare = await client.getTask({ tenant: '', id: task.id, historyLength: 0 })
    assert.deepEqual(bare.history, [])
  })

  await t.test('a stream: the task, the text as it comes, the output and the end', async () => {
    const items = await collect(
      client.sendMessageStream({ ...noTenant, message: toMessage('stream'), configuration: undefined }),
    )
    assert.equal(items[0]?.$case, 'task')
    const said = items.flatMap((item) =>
      item?.$case === 'statusUpdate' ? (item.value.status?.message?.parts ?? []) : [],
    )
    assert.equal(said.map(({ content }) => content?.value).join(''), 'You said stream')
    const [artifact, last] = items.slice(-2)
    assert.equal(
      artifact?.$case === 'artifactUpdate' && artifact.value.artifact?.parts[0]?.content?.value,
      'You said stream',
    )
    assert.equal(last?.$case === 'statusUpdate' && last.value.status?.state, TaskState.TASK_STATE_COMPLETED)
  })

  await t.test('a failed run is a failed task with its reason', async () => {
    const task = await settled(client, send(client, toMessage('fail')))
    assert.equal(task.status?.state, TaskState.TASK_STATE_FAILED)
    assert.deepEqual(
      task.status?.message?.parts.map(({ content }) => content?.value),
      ['no idea', { code: 'agent_error' }],
    )
  })

  await t.test('a task is followed, and cancelled; an ended one is neither', async () => {
    const task = await taskOf(send(client, toMessage('wait'), true))
    assert.ok(atWork.includes(task.status?.state))
    const followed = client.resubscribeTask({ tenant: '', id: task.id })
    const head = await followed.next()
    assert.equal(head.value?.payload?.$case, 'task')
    const cancelled = await client.cancelTask({ tenant: '', id: task.id, metadata: undefined })
    assert.ok([...atWork, TaskState.TASK_STATE_CANCELED].includes(cancelled.status?.state))
    const rest = await collect({ [Symbol.asyncIterator]: () => followed })
    const last = rest.at(-1)
    assert.equal(last?.$case === 'statusUpdate' && last.value.status?.state, TaskState.TASK_STATE_CANCELED)
    assert.equal(await codeOf(client.cancelTask({ tenant: '', id: task.id, metadata: undefined })), -32002)
    assert.equal(await codeOf(client.resubscribeTask({ tenant: '', id: task.id }).next()), -32004)
    assert.equal(await codeOf(send(client, toMessage('more', { taskId: task.id }))), -32004)
  })

  await t.test('a client that goes away cancels nothing', async () => {
    const message = toMessage('wait')
    const stream = client.sendMessageStream({ ...noTenant, message, configuration: undefined })
    const { value } = await stream.next()
    const id = value?.payload?.$case === 'task' ? value.payload.value.id : ''
    await stream.return(undefined)
    // Another client follows the same task, and sees the agent at work until it is cancelled.
    const other = client.resubscribeTask({ tenant: '', id })
    const { value: seen } = await other.next()
    assert.ok(seen?.payload?.$case === 'task' && atWork.includes(seen.payload.value.status?.state))
    await client.cancelTask({ tenant: '', id, metadata: undefined })
    const last = (await collect({ [Symbol.asyncIterator]: () => other })).at(-1)
    assert.equal(last?.$case === 'statusUpdate' && last.value.status?.state, TaskState.TASK_STATE_CANCELED)
  })

  await t.test('lists: by context and state, in pages, with content when asked', async () => {
    const query = { tenant: '', contextId: 'a2a-context', status: 0, pageToken: '', statusTimestampAfter: undefined }
    const rest = { historyLength: undefined, includeArtifacts: undefined }
    const one = await client.listTasks({ ...query, ...rest, pageSize: 1 })
    assert.deepEqual([one.tasks.length, one.totalSize], [1, 2])
    const two = await client.listTasks({ ...query, ...rest, pageSize: 1, pageToken: one.nextPageToken })
    assert.deepEqual([two.tasks.length, two.nextPageToken], [1, ''])
    assert.notEqual(two.tasks[0]?.id, one.tasks[0]?.id)
    const failed = await client.listTasks({
      ...query,
      ...rest,
      contextId: '',
      status: TaskState.TASK_STATE_FAILED,
      pageSize: 9,
    })
    assert.deepEqual(
      failed.tasks.map(({ status }) => status?.state),
      [TaskState.TASK_STATE_FAILED],
    )
    const full = await client.listTasks({ ...query, historyLength: 1, includeArtifacts: true, pageSize: 9 })
    assert.deepEqual(
      full.tasks.map((task) => [outputOf(task), task.history.length]),
      [
        [{ input: { a: [1] }, before: ['hello'] }, 1],
        ['You said hello', 1],
      ],
    )
    const other = { ...query, ...rest, contextId: 'other', pageSize: 1, pageToken: one.nextPageToken }
    assert.equal(await codeOf(client.listTasks(other)), -32602)
  })

  await t.test('an agent that asks: answers by text, by data and by metadata', async () => {
    const patched = await platform.kube({
      method: 'PATCH',
      path: '/apis/mesh.dev/v1alpha1/namespaces/demo/agentdeployments/careful',
      bearer: platform.tokens.admin,
      contentType: 'application/merge-patch+json',
      body: { spec: { a2a: { expose: true } } },
    })
    assert.equal(patched.status, 200, patched.text)
    const careful = await open('developer', 'demo/careful')
    const ask = async (): Promise<Task> => {
      const task = await settled(careful, send(careful, toMessage('Please approve.')))
      assert.equal(task.status?.state, TaskState.TASK_STATE_INPUT_REQUIRED)
      return task
    }
    const asked = await ask()
    assert.match(String(asked.status?.message?.parts[0]?.content?.value), /calculate/)
    assert.equal(await codeOf(send(careful, toMessage('maybe', { taskId: asked.id }))), -32602)
    assert.equal(await codeOf(send(careful, toMessage('approve', { taskId: asked.id, contextId: 'other' }))), -32602)
    const approved = await settled(careful, send(careful, toMessage('approve', { taskId: asked.id })))
    assert.equal(outputOf(approved), 'The answer is 42.')
    const metadata = { 'mesh.dev/answer': { decision: 'reject', reason: 'no numbers' } }
    const rejected = await settled(careful, send(careful, toMessage('no', { taskId: (await ask()).id, metadata })))
    assert.equal(rejected.status?.state, TaskState.TASK_STATE_REJECTED)
    const streamed = await ask()
    const message = toMessage('approve', { taskId: streamed.id })
    const items = await collect(careful.sendMessageStream({ ...noTenant, message, configuration: undefined }))
    const last = items.at(-1)
    assert.equal(last?.$case === 'statusUpdate' && last.value.status?.state, TaskState.TASK_STATE_COMPLETED)
    // A task of another agent and namespace.
    assert.equal(await codeOf(client.getTask({ tenant: '', id: streamed.id, historyLength: undefined })), -32001)
    assert.equal(await codeOf(client.cancelTask({ tenant: '', id: streamed.id, metadata: undefined })), -32001)
    assert.equal(await codeOf(client.resubscribeTask({ tenant: '', id: streamed.id }).next()), -32001)
  })

  await t.test('version 0.3: the card, messages, streams and tasks of earlier clients', async () => {
    const legacy = await open('developer', agent, '0.3')
    const task = await settled(legacy, send(legacy, toMessage('old')))
    assert.deepEqual([task.status?.state, outputOf(task)], [TaskState.TASK_STATE_COMPLETED, 'You said old'])
    const items = await collect(
      legacy.sendMessageStream({ ...noTenant, message: toMessage('olds'), configuration: undefined }),
    )
    assert.equal(items[0]?.$case, 'task')
    const last = items.at(-1)
    assert.equal(last?.$case === 'statusUpdate' && last.value.status?.state, TaskState.TASK_STATE_COMPLETED)
    assert.equal((await legacy.getTask({ tenant: '', id: task.id, historyLength: undefined })).id, task.id)
    const ended = legacy.cancelTask({ tenant: '', id: task.id, metadata: undefined })
    await assert.rejects(ended)
    const card = await platform.send({ path: `/api/agents/${agent}/a2a/.well-known/agent-card.json`, bearer })
    assert.deepEqual(
      [card.json()['protocolVersion'], card.json()['preferredTransport'], card.headers['vary']],
      ['0.3.0', 'JSONRPC', 'a2a-version'],
    )
  })

  await t.test('who may call the agent is decided by the cluster', async () => {
    await allowInvoke(platform, 'other-tenant', name)
    const rights = ['create agentdeployments/invoke', 'get agentdeployments', 'get runs'] as const
    for (const persona of ['viewer', 'developer', 'other-tenant', 'operator'] as const) {
      const may = await Promise.all(
        rights.map(async (right) => {
          const [verb, path = ''] = right.split(' ')
          const [resource, subresource = ''] = path.split('/')
          const answer = await platform.kube({
            method: 'POST',
            path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
            bearer: platform.tokens[persona],
            body: {
              apiVersion: 'authorization.k8s.io/v1',
              kind: 'SelfSubjectAccessReview',
              spec: {
                resourceAttributes: {
                  group: 'mesh.dev',
                  namespace: 'default',
                  verb,
                  resource,
                  subresource,
                  ...(resource === 'runs' ? {} : { name }),
                },
              },
            },
          })
          return answer.json<{ status: { allowed: boolean } }>().status.allowed
        }),
      )
      const params = { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] } }
      const answer = await rpc({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params }, {}, persona)
      const allowed = may.every(Boolean)
      assert.deepEqual([persona, answer.status], [persona, allowed ? 200 : 403], answer.text)
      if (!allowed) assert.equal(answer.json<{ error: { code: number } }>().error.code, -32000)
    }
    // Without the right to read runs, no run is made whose outcome would be shown (SEC18).
    const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/default'
    const apiVersion = 'rbac.authorization.k8s.io/v1'
    const apiGroup = 'rbac.authorization.k8s.io'
    const rules = [{ apiGroups: ['mesh.dev'], resources: ['agentdeployments'], resourceNames: [name], verbs: ['get'] }]
    for (const [plural, body] of [
      ['roles', { apiVersion, kind: 'Role', metadata: { name: 'a2a-reader' }, rules }],
      [
        'rolebindings',
        {
          apiVersion,
          kind: 'RoleBinding',
          metadata: { name: 'a2a-reader' },
          roleRef: { apiGroup, kind: 'Role', name: 'a2a-reader' },
          subjects: [{ apiGroup, kind: 'User', name: 'other-tenant' }],
        },
      ],
    ] as const) {
      const granted = await platform.kube({
        method: 'POST',
        path: `${rbac}/${plural}`,
        bearer: platform.tokens.admin,
        body,
      })
      assert.equal(granted.status, 201, granted.text)
    }
    const before = await count()
    const params = { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] } }
    const blind = await rpc({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params }, {}, 'other-tenant')
    assert.deepEqual([blind.status, await count()], [403, before], blind.text)
    const path = `/api/agents/${agent}/a2a`
    const anonymous = await platform.send({ method: 'POST', path, body: {} })
    assert.equal(anonymous.status, 401)
    assert.equal(anonymous.headers['www-authenticate'], 'Bearer')
    // As that of every route.
    assert.match(String(anonymous.headers['content-type']), /problem\+json/)
    // A token of the cluster for another audience.
    const token = await platform.kube({
      method: 'POST',
      path: '/api/v1/namespaces/default/serviceaccounts/default/token',
      bearer: platform.tokens.admin,
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { audiences: ['vault'] } },
    })
    const foreign = token.json<{ status?: { token: string } }>().status?.token ?? ''
    assert.notEqual(foreign, '', token.text)
    assert.equal((await platform.send({ method: 'POST', path, bearer: foreign, body: {} })).status, 401)
  })

  await t.test('an agent that is not exposed, or does not exist, is a 404', async () => {
    for (const other of ['demo/hello', 'default/no-such-agent']) {
      const sent = await platform.send({
        method: 'POST',
        path: `/api/agents/${other}/a2a`,
        bearer: platform.tokens.admin,
        body: { jsonrpc: '2.0', id: 'x', method: 'ListTasks' },
      })
      assert.deepEqual([sent.status, sent.json()['id']], [404, 'x'], sent.text)
      const card = await platform.send({
        path: `/api/agents/${other}/a2a/.well-known/agent-card.json`,
        bearer: platform.tokens.admin,
      })
      assert.equal(card.status, 404)
    }
  })

  await t.test('F5, X3: bad input has the standard’s code, names the field, and makes no run', async () => {
    const before = await count()
    const call = (method: string, params?: unknown) => ({ jsonrpc: '2.0', id: 1, method, params })
    const hi = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] }
    const sending = (more: object) => call('SendMessage', { message: { ...hi, ...more } })
    const gone = '019a0000-0000-7000-8000-000000000000'
    for (const [body, code, pointer, headers = {}] of [
      [[call('GetTask')], -32600, ''],
      ['text', -32600, ''],
      [null, -32600, ''],
      [{ ...call('GetTask'), jsonrpc: '1.0' }, -32600, '/jsonrpc'],
      [{ jsonrpc: '2.0', method: 'GetTask' }, -32600, '/id'],
      [{ ...call('GetTask'), id: {} }, -32600, '/id'],
      [{ ...call('GetTask'), id: 2 ** 60 }, -32600, '/id'],
      [{ ...call('GetTask'), id: 'x'.repeat(257) }, -32600, '/id'],
      [{ ...call('GetTask'), method: 7 }, -32600, '/method'],
      [call('x'.repeat(129)), -32600, '/method'],
      [call('Shutdown'), -32601, '/method'],
      [call('constructor'), -32601, '/method'],
      [call('GetTask', []), -32602, '/params'],
      [call('GetTask', {}), -32602, '/params/id'],
      [call('GetTask', { id: gone, historyLength: 2 ** 31 }), -32602, '/params/historyLength'],
      [call('GetTask', { id: gone, historyLength: -1 }), -32602, '/params/historyLength'],
      [call('GetTask', { id: 'x'.repeat(257) }), -32602, '/params/id'],
      [call('GetTask', { id: gone }), -32001, undefined],
      [call('GetTask', { id: '../../etc' }), -32001, undefined],
      [call('CancelTask', { id: gone }), -32001, undefined],
      [call('SubscribeToTask', { id: 'x' }), -32001, undefined],
      [call('ListTasks', { pageSize: 101 }), -32602, '/params/pageSize'],
      [call('ListTasks', { pageToken: 'forged' }), -32602, '/params/pageToken'],
      [call('ListTasks', { status: 'TASK_STATE_LOST' }), -32602, '/params/status'],
      [call('ListTasks', { statusTimestampAfter: 'yesterday' }), -32602, '/params/statusTimestampAfter'],
      [call('ListTasks', { statusTimestampAfter: '2016-12-31T23:59:60Z' }), -32602, '/params/statusTimestampAfter'],
      [call('ListTasks', { statusTimestampAfter: '0000-01-01T00:00:00Z' }), -32602, '/params/statusTimestampAfter'],
      [call('SendMessage', {}), -32602, '/params/message'],
      [sending({ parts: [] }), -32602, '/params/message/parts'],
      [sending({ parts: [{}] }), -32602, '/params/message/parts/0'],
      [sending({ parts: [{ text: 'a' }, { data: 1 }] }), -32602, '/params/message/parts/1'],
      [sending({ parts: [{ url: 'http://127.0.0.1/' }] }), -32005, undefined],
      [sending({ parts: [{ raw: 'aGk=' }] }), -32005, undefined],
      [sending({ role: 'ROLE_AGENT' }), -32602, '/params/message/role'],
      [sending({ contextId: 'a b' }), -32602, '/params/message/contextId'],
      [sending({ contextId: 'x'.repeat(129) }), -32602, '/params/message/contextId'],
      [sending({ taskId: gone }), -32001, undefined],
      [sending({ parts: [{ text: '\u0000' }] }), -32602, '/params/message/parts/0/text'],
      [sending({ parts: [{ text: '\ud800' }] }), -32602, '/params/message/parts/0/text'],
      [call('SendMessage', { message: hi, configuration: { acceptedOutputModes: ['image/png'] } }), -32005, undefined],
      [call('SendMessage', { message: hi, configuration: { taskPushNotificationConfig: {} } }), -32003, undefined],
      [call('CreateTaskPushNotificationConfig', {}), -32003, undefined],
      [call('tasks/pushNotificationConfig/set', {}), -32003, undefined],
      [sending({}), -32009, undefined, { 'a2a-version': '2.0' }],
      [sending({}), -32009, undefined, { 'a2a-version': '1.0; drop' }],
    ] as const) {
      const { status, text } = await rpc(body, headers)
      const { error } = JSON.parse(text) as {
        error?: { code: number; data: readonly { fieldViolations?: readonly { field: string }[] }[] }
      }
      const field = error?.data.flatMap(({ fieldViolations = [] }) => fieldViolations)[0]?.field
      assert.deepEqual([status, error?.code, field], [200, code, pointer], text)
    }
    const broken = await platform.send({
      method: 'POST',
      path: `/api/agents/${agent}/a2a`,
      bearer,
      body: Buffer.from('{"jsonrpc":'),
    })
    assert.deepEqual([broken.status, broken.json<{ error: { code: number } }>().error.code], [200, -32700], broken.text)
    const big = await rpc(sending({ parts: [{ text: 'x'.repeat(1024 * 1024) }] }))
    assert.deepEqual([big.status, big.json<{ error: { code: number } }>().error.code], [413, -32000], big.text)
    assert.equal(await count(), before)
  })
})
