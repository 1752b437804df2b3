import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { ObjectRef } from '#core/kube/client.ts'
import { GuardrailPolicy } from '#schemas/crds/guardrail-policy.ts'
import type { GuardrailPolicyObject } from '#schemas/crds/guardrail-policy.ts'
import { ModelProvider } from '#schemas/crds/model-provider.ts'
import { ModelRoute } from '#schemas/crds/model-route.ts'
import type { RawAnswer } from './platform/send.ts'
import { sharedEmbedded } from './platform/shared-platform.ts'

interface Run {
  readonly id: string
  readonly state: string
  readonly output: unknown
  readonly pauseReason: string | null
  readonly failReason: string | null
  readonly error: { readonly code: string; readonly message: string } | null
  readonly interrupts: readonly { readonly id: string; readonly question?: string }[]
}

interface Agent {
  readonly status?: {
    readonly url?: string
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message: string }[]
  }
}

const word = 'MAGENTA-7'
const namespace = 'default'

// Without any SDK: answers with what the model says, and fails if its call is refused.
const own = [
  'node',
  '-e',
  `require('node:http').createServer(async (request, response) => {
    if (request.url === '/healthz') return response.end()
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    const { input } = JSON.parse(Buffer.concat(chunks).toString() || '{}')
    const answer = await fetch(process.env.MODEL_GATEWAY_URL + '/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'guarded-mock', messages: [{ role: 'user', content: input }] }),
    })
    const body = await answer.json()
    if (!answer.ok) return response.writeHead(500).end(JSON.stringify({ error: body.error }))
    const output = { text: body.choices[0].message.content, token: process.env.MODEL_GATEWAY_TOKEN_FILE ?? null }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ output }))
  }).listen(process.env.AGENT_PORT, '127.0.0.1')`,
]

test('guardrails: agents are blocked, masked and approved, with launcher, gateway and state role', async (t) => {
  const platform = await sharedEmbedded()
  const { admin, send, tokens } = platform
  const api = (line: string, body?: unknown, persona: keyof typeof tokens = 'developer'): Promise<RawAnswer> => {
    const [method = '', path = ''] = line.split(' ')
    return send({ method, path: `/api${path}`, bearer: tokens[persona], ...(body === undefined ? {} : { body }) })
  }
  const eventually = async <T>(read: () => Promise<T>, fits: (value: T) => boolean): Promise<T> => {
    for (let value = await read(); ; value = await read()) {
      if (fits(value)) return value
      await pause(50)
    }
  }
  const write = (
    resource: typeof GuardrailPolicy | typeof ModelRoute | typeof ModelProvider,
    name: string,
    spec: object,
  ) => {
    const body = { apiVersion: 'mesh.dev/v1alpha1', kind: resource.kind, metadata: { name, namespace }, spec }
    return admin.patch(resource, { namespace, name } as ObjectRef, { type: 'apply', body: body as never, force: true })
  }
  const rules = [
    { name: 'contacts', action: 'mask', mask: '[contact]', stages: ['response'], pii: { kinds: ['email'] } },
    { name: 'project', action: 'block', stages: ['request'], regex: { patterns: ['MAGENTA-[0-9]'] } },
    { name: 'merger', action: 'require_approval', stages: ['request'], words: { phrases: ['apollo'] } },
  ]
  const script = [{ contains: 'contact', reply: 'Write to ann@example.com today.' }]
  await write(ModelProvider, 'guarded-mock', { type: 'mock', mock: { script } })
  await write(ModelRoute, 'guarded-mock', { providerRef: { name: 'guarded-mock' }, model: 'mock' })
  await write(GuardrailPolicy, 'guarded-staff', { rules })
  const create = async (name: string, spec: object): Promise<void> => {
    const guarded = { model: { route: 'guarded-mock' }, guardrails: [{ name: 'guarded-staff' }], ...spec }
    const made = await api('POST /agents', { metadata: { namespace, name }, spec: guarded })
    assert.equal(made.status, 201, made.text)
  }
  const isReady = async (name: string): Promise<void> => {
    const ready = ({ status }: Agent): boolean =>
      status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') === true
    await eventually(async () => (await api(`GET /agents/${namespace}/${name}`)).json<Agent>(), ready)
  }
  const invoke = async (agent: string, input: string): Promise<Run> => {
    const answer = await api('POST /invoke', { agent: { namespace, name: agent }, input, timeout: '60s' })
    const { runId } = answer.json<{ runId: string }>()
    return (await api(`GET /runs/${runId}`)).json<Run>()
  }
  const resume = async (id: string, decision: 'approve' | 'reject'): Promise<Run> => {
    const answer = await api(`POST /runs/${id}/resume`, { decision })
    assert.equal(answer.status, 202, answer.text)
    const read = async (): Promise<Run> => (await api(`GET /runs/${id}`)).json<Run>()
    return eventually(read, ({ state }) => ['succeeded', 'failed', 'paused', 'rejected'].includes(state))
  }
  const decisionsOf = async (id: string): Promise<readonly object[]> => {
    const { text } = await api(`GET /runs/${id}/events`)
    const frames = text.split('\n\n').filter((frame) => frame.includes('event: guardrail.decided'))
    return frames.map((frame) => (JSON.parse(frame.split('data: ')[1] ?? '{}') as { data: object }).data)
  }
  await create('guarded-loop', { systemPrompt: 'Help.' })
  await create('guarded-own', { runtime: { command: own } })
  await Promise.all(['guarded-loop', 'guarded-own'].map(isReady))

  await t.test('the policy is accepted, listed as its callers may, and a bad one names its field', async () => {
    const read = () =>
      admin.get<GuardrailPolicyObject>(GuardrailPolicy, { namespace, name: 'guarded-staff' } as ObjectRef)
    const accepted = await eventually(read, ({ status }) => status?.conditions !== undefined)
    assert.equal(accepted.status?.conditions?.[0]?.reason, 'Accepted')
    const listed = await api(`GET /guardrailpolicies?namespace=${namespace}`)
    const names = listed.json<{ items: { metadata: { name: string } }[] }>().items.map(({ metadata }) => metadata.name)
    assert.ok(names.includes('guarded-staff'), names.join())
    assert.equal((await api(`GET /guardrailpolicies?namespace=${namespace}`, undefined, 'other-tenant')).status, 403)
  })

  await t.test('a policy is tried on a body by those who may get it, and nothing is stored', async () => {
    const path = `POST /guardrailpolicies/${namespace}/guarded-staff/try`
    const text = 'Ask ann@example.com about MAGENTA-7.'
    const masked = await api(path, { stage: 'response', body: text }, 'viewer')
    const contacts = { rule: 'contacts', check: 'pii', action: 'mask', count: 1 }
    const passed = { decision: 'pass', by: null, hits: [contacts], skipped: [], body: 'Ask [contact] about MAGENTA-7.' }
    assert.deepEqual([masked.status, masked.json()], [200, passed])
    const toxic = { name: 'toxic', action: 'block', http: { url: 'https://checks.example.com/', onFailure: 'closed' } }
    await write(GuardrailPolicy, 'guarded-outside', { rules: [toxic] })
    const outside = await api(`POST /guardrailpolicies/${namespace}/guarded-outside/try`, {
      stage: 'request',
      body: text,
    })
    const { skipped } = outside.json<{ skipped: readonly object[] }>()
    assert.deepEqual(skipped, [{ rule: 'toxic', check: 'http', action: 'block' }], 'a trial calls no service')
    const blocked = (await api(path, { stage: 'request', body: text })).json<{ by: string; body: unknown }>()
    assert.deepEqual([blocked.by, blocked.body], ['project', null])
    assert.equal((await api(path, { stage: 'request', body: text }, 'other-tenant')).status, 403)
    assert.equal((await send({ method: 'POST', path: `/api${path.slice(5)}`, body: {} })).status, 401)
    const unknown = await api(`POST /guardrailpolicies/${namespace}/absent/try`, { stage: 'request', body: text })
    assert.equal(unknown.status, 404)
    for (const [body, status] of [
      [{ stage: 'answer', body: text }, 400],
      [{ stage: 'request' }, 400],
      [{ stage: 'request', body: 7 }, 400],
      [{ stage: 'request', body: 'x'.repeat(300_000) }, 413],
    ] as const)
      assert.equal((await api(path, body)).status, status, JSON.stringify(body).slice(0, 60))
  })

  const forms = [
    { agent: 'guarded-loop', textOf: ({ output }: Run): unknown => output },
    { agent: 'guarded-own', textOf: ({ output }: Run): unknown => (output as { text: string }).text },
  ]
  for (const { agent, textOf } of forms)
    await t.test(`${agent}: answers are masked, requests blocked, and calls approved or rejected`, async () => {
      const masked = await invoke(agent, 'Whom do I contact?')
      assert.deepEqual([masked.state, textOf(masked)], ['succeeded', 'Write to [contact] today.'])
      const decided = {
        policy: 'default/guarded-staff',
        rule: 'contacts',
        check: 'pii',
        stage: 'response',
        action: 'mask',
        count: 1,
      }
      assert.deepEqual(await decisionsOf(masked.id), [decided])
      const blocked = await invoke(agent, `Tell me about ${word}.`)
      assert.equal(blocked.state, 'failed')
      if (agent === 'guarded-loop') assert.equal(blocked.failReason, 'guardrail_blocked')
      assert.match(
        blocked.error?.message ?? '',
        /The rule project of the guardrail policy default\/guarded-staff blocked the request/,
      )
      assert.equal(JSON.stringify(await decisionsOf(blocked.id)).includes(word), false)

      const waiting = await invoke(agent, 'How is Apollo?')
      assert.deepEqual([waiting.state, waiting.pauseReason], ['paused', 'approval_required'])
      assert.match(waiting.interrupts[0]?.question ?? '', /The rule merger of .*Approve the call\?$/)
      const approved = await resume(waiting.id, 'approve')
      assert.deepEqual([approved.state, textOf(approved)], ['succeeded', 'MOCK_OK'])
      const again = await invoke(agent, 'How is Apollo?')
      assert.equal(again.state, 'paused', 'an approval is one of its run')
      const rejected = await resume(again.id, 'reject')
      assert.deepEqual([rejected.state, rejected.failReason], ['failed', 'guardrail_blocked'])
      assert.match(rejected.error?.message ?? '', /^developer rejected the model call/)
    })

  await t.test(
    'the agent has no token for the gateway, and persons who call the agent as a model are guarded',
    async () => {
      const run = await invoke('guarded-own', 'hi')
      assert.equal((run.output as { token: unknown }).token, null)
      const chat = async (content: string): Promise<{ status: number; text: string }> => {
        const answer = await fetch(`${platform.gatewayUrl}/v1/chat/completions`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${tokens.developer}` },
          body: JSON.stringify({ model: `agent/${namespace}/guarded-loop`, messages: [{ role: 'user', content }] }),
        })
        return { status: answer.status, text: await answer.text() }
      }
      const refused = await chat(`about ${word}`)
      assert.deepEqual([refused.status, refused.text.includes('guardrail_blocked')], [403, true])
      assert.match((await chat('Whom do I contact?')).text, /\[contact\]/)
    },
  )

  await t.test('a changed policy applies to the next calls within seconds', async () => {
    await write(GuardrailPolicy, 'guarded-staff', { rules: [rules[0]] })
    const run = await eventually(
      () => invoke('guarded-loop', `Tell me about ${word}.`),
      ({ state }) => state === 'succeeded',
    )
    assert.equal(run.output, 'MOCK_OK')
  })

  await t.test('without its policy an agent is not rolled out, and its calls are refused', async () => {
    await admin.delete(GuardrailPolicy, { namespace, name: 'guarded-staff' } as ObjectRef)
    const closed = await eventually(
      () => invoke('guarded-loop', 'hi'),
      ({ state }) => state === 'failed',
    )
    // By the launcher, or by the gateway if it notices first.
    assert.match(closed.error?.message ?? '', /guardrail.*(cannot be read|was refused)/)
    const read = async () => (await api(`GET /agents/${namespace}/guarded-loop`)).json<Agent>()
    const broken = await eventually(read, ({ status }) =>
      (status?.conditions ?? []).some(({ type, status: is }) => type === 'ResolvedRefs' && is === 'False'),
    )
    const resolved = broken.status?.conditions?.find(({ type }) => type === 'ResolvedRefs')
    assert.match(
      resolved?.message ?? '',
      /GuardrailPolicy default\/guarded-staff \(spec\.guardrails\[0\]\) does not exist/,
    )
  })
})
