import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import test from 'node:test'
import { createGuardProof } from '#core/guardrails/proof.ts'
import { createTestIssuer } from '#core/signing/testing/test-issuer.ts'
import { createRoleModels } from '#core/role-models/role-models.ts'
import { contribute } from '#core/jobs/extension-point.ts'
import { agentRuns, modelFilter } from '#plugins/providers/contract/points.ts'
import { addRoute, refused, startGateway, startUpstream } from '#plugins/providers/testing/gateway.ts'
import { addBudgetedAgent } from '#plugins/budgets/testing/state-role.ts'
import { tokenOf } from '#test/harness/service-accounts.ts'
import type { GuardrailPolicySpec } from '#schemas/crds/guardrail-policy.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import { listen } from '#test/harness/listen.ts'
import { createPolicyFilters } from './filters/policy-filters.ts'
import { toPolicySet } from './policies/agent-policies.ts'
import { applyPolicy, word, wordRule } from './testing/policies.ts'

const { keys, launcherOf } = createTestIssuer()

type Policy = Partial<GuardrailPolicySpec> & Pick<GuardrailPolicySpec, 'rules'>

const textOf = (body: unknown): string => JSON.stringify((body as { messages: unknown }).messages)

test('guardrails in the gateway', async (t) => {
  const outputs: string[] = []
  const invokeForGateway = async ({ input, onText }: { input: unknown; onText: (text: string) => void }) => {
    outputs.push(String(input))
    onText(`it is ${word}`)
    return {
      runId: 'r1',
      state: 'succeeded',
      output: `it is ${word}`,
      error: null,
      usage: { inputTokens: 1, outputTokens: 1 },
    }
  }
  const runs = {
    invokeForGateway,
    agentOf: async () => undefined,
    agentsAbove: async () => [],
  }
  const gateway = await startGateway(t, (core) => [
    ...createPolicyFilters({ ...core, keys }, 0).map((filter) => contribute(modelFilter, filter)),
    contribute(agentRuns, runs),
  ])
  const { a, b } = gateway.namespaces
  let reply: (response: ServerResponse, body: Record<string, unknown>) => void = () => undefined
  const upstream = await startUpstream(t, (response, body) => reply(response, body))
  const completes = (text: string, parts = 1): void => {
    reply = (response, body) => {
      const choice = { index: 0, finish_reason: 'stop' }
      if (body['stream'] !== true) {
        const message = { role: 'assistant', content: text }
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ id: 'c', object: 'chat.completion', choices: [{ ...choice, message }] }))
        return
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const frame = (delta: object, reason: string | null = null): string =>
        `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`
      for (let at = 0; at < text.length; at += parts) response.write(frame({ content: text.slice(at, at + parts) }))
      response.end(`${frame({}, 'stop')}data: [DONE]\n\n`)
    }
  }
  for (const namespace of [a, b])
    await addRoute(gateway.admin, namespace, 'up', { provider: { type: 'openai', baseUrl: upstream.url } })
  const ask = (content: string, more: object = {}, headers: Record<string, string> = {}) =>
    gateway
      .as('admin', { 'x-mesh-namespace': a, ...headers })
      .chat.completions.create({ model: 'up', messages: [{ role: 'user', content }], ...more })
  const policy = (name: string, namespace: string, spec: Policy) => applyPolicy(gateway.admin, namespace, name, spec)
  completes('fine')

  await t.test(
    'a policy of the namespace applies to persons who call its routes, and to no other namespace',
    async () => {
      await policy('p', a, { appliesTo: 'namespace', rules: [wordRule('block', ['request'])] })
      const before = upstream.seen.length
      const error = await refused(ask(`say ${word}`))
      assert.deepEqual(
        [error.status, error.code, error.param],
        [403, 'guardrail_blocked', `${a}/p:block:regex:request`],
      )
      assert.equal(error.message.includes(word), false)
      assert.equal(upstream.seen.length, before)
      await ask('hello')
      const other = gateway.as('admin', { 'x-mesh-namespace': b })
      await other.chat.completions.create({ model: 'up', messages: [{ role: 'user', content: word }] })
      assert.match(
        await gateway.metrics(),
        /mesh_guardrail_decisions_total\{[^}]*check="regex"[^}]*action="block"[^}]*\} 1/,
      )
    },
  )

  await t.test('a role calls by the policies of its payer, not by those of the namespace of the route', async () => {
    await policy('p', a, { appliesTo: 'namespace', rules: [wordRule('block', ['request'])] })
    const models = (namespace: string) =>
      createRoleModels({ gatewayUrl: () => gateway.url, bearer: async () => gateway.kube.tokens['admin'] ?? '' })
        .paidBy({ kind: 'namespace', namespace, uid: 'uid-1' })
        .chat({ route: `${a}/up`, messages: [{ role: 'user', content: `say ${word}` }], maxOutputTokens: 8 })
    const before = upstream.seen.length
    await assert.rejects(models(a), { reason: 'guardrail_blocked' })
    assert.equal(upstream.seen.length, before)
    assert.equal((await models(b)).text, 'fine')
  })

  await t.test('requests, answers and tool calls are masked, however a stream is cut', async () => {
    const rules = [wordRule('mask')]
    await policy('p', a, { appliesTo: 'namespace', rules })
    const text = `before ${word} after, ${word}`
    completes(text)
    const whole = await ask(`say ${word}`)
    const rows = await gateway.metered((some) => some.some(({ data }) => data['decisions'] !== undefined))
    const masked = { policy: `${a}/p`, rule: 'mask', check: 'regex', action: 'mask' }
    const decided = rows.flatMap(({ data }) => (data['decisions'] as object[] | undefined) ?? [])
    assert.deepEqual(decided, [
      { ...masked, stage: 'request', count: 1 },
      { ...masked, stage: 'response', count: 2 },
    ])
    assert.equal(JSON.stringify(rows).includes(word), false)
    assert.equal(whole.choices[0]?.message.content, 'before [masked] after, [masked]')
    assert.equal(textOf(upstream.seen.at(-1)?.body).includes(word), false)
    for (const size of [1, 2, 3, 5, 8, 13, text.length]) {
      completes(text, size)
      const stream = await gateway
        .as('admin', { 'x-mesh-namespace': a })
        .chat.completions.create({ model: 'up', stream: true, messages: [{ role: 'user', content: 'go' }] })
      let out = ''
      for await (const chunk of stream) out += chunk.choices[0]?.delta.content ?? ''
      assert.equal(out, 'before [masked] after, [masked]', `parts of ${size}`)
    }
    // The provider continues when the client has text: masks beyond that are decided already, and held.
    const seen = Promise.withResolvers<void>()
    const frame = (delta: object, reason: string | null = null): string =>
      `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`
    reply = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(frame({ content: `${word} after `.repeat(50) }))
      const finish = async (): Promise<void> => {
        await seen.promise
        response.write(frame({ content: `${word} after `.repeat(50) }))
        response.end(`${frame({}, 'stop')}data: [DONE]\n\n`)
      }
      void finish()
    }
    const long = await gateway
      .as('admin', { 'x-mesh-namespace': a })
      .chat.completions.create({ model: 'up', stream: true, messages: [{ role: 'user', content: 'go' }] })
    let released = ''
    for await (const chunk of long) {
      released += chunk.choices[0]?.delta.content ?? ''
      if (released.length > 0) seen.resolve()
    }
    assert.equal(released, '[masked] after '.repeat(100))
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: `{"a":"${word}"}` } }
    reply = (response) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end(
        JSON.stringify({
          choices: [
            {
              index: 0,
              message: { role: 'assistant', content: null, tool_calls: [call] },
              finish_reason: 'tool_calls',
            },
          ],
        }),
      )
    const called = await ask('go')
    assert.equal(JSON.stringify(called).includes(word), false)
    completes('fine')
  })

  await t.test('results of tools in a request pass the rules on tool calls', async () => {
    await policy('p', a, { appliesTo: 'namespace', rules: [wordRule('block', ['tool_call'])] })
    await ask(word)
    const messages = [{ role: 'tool' as const, tool_call_id: 'c', content: word }]
    const error = await refused(
      gateway.as('admin', { 'x-mesh-namespace': a }).chat.completions.create({ model: 'up', messages }),
    )
    assert.equal(error.param, `${a}/p:block:regex:tool_call`)
  })

  await t.test('a call of a person that needs approval is refused with its own code', async () => {
    await policy('p', a, { appliesTo: 'namespace', rules: [wordRule('require_approval')] })
    const error = await refused(ask(word))
    assert.deepEqual([error.status, error.code], [403, 'guardrail_approval_required'])
  })

  await t.test('model: agent/... is guarded by the policies of the agent', async () => {
    await policy('p', a, {
      appliesTo: 'agents',
      rules: [wordRule('mask', ['response']), wordRule('block', ['request'])],
    })
    await addBudgetedAgent(gateway.admin, a, 'chatty')
    await setPolicies('chatty', [{ name: 'p' }])
    const model = `agent/${a}/chatty`
    const answer = await ask('hi', { model })
    assert.equal(answer.choices[0]?.message.content, 'it is [masked]')
    const count = outputs.length
    assert.equal((await refused(ask(word, { model }))).code, 'guardrail_blocked')
    assert.equal(outputs.length, count, 'no run is created')
  })

  await t.test('calls of a pod are guarded unless its launcher proves that it has done so', async () => {
    const { uid } = await addBudgetedAgent(gateway.admin, a, 'robot')
    await setPolicies('robot', [{ name: 'shared', namespace: b }])
    const shared = { allowedNamespaces: [a], rules: [wordRule('block', ['request'])] }
    const stored = await applyPolicy(gateway.admin, b, 'shared', shared)
    const { digest } = toPolicySet([stored])
    const token = await tokenOf(gateway.admin, a, 'robot', 'gateway')
    const call = (proof?: string, content = word) =>
      gateway
        .client(token, proof === undefined ? {} : { 'x-mesh-guarded': proof })
        .chat.completions.create({ model: 'up', messages: [{ role: 'user', content }] })
    const own = await launcherOf(uid)
    const prove = (by = own, agentUid = uid, now = () => new Date()) => {
      const proof = createGuardProof({ signer: () => by, agentUid, now })
      return async (of: string) => (await proof(of)) ?? ''
    }
    assert.equal((await refused(call())).code, 'guardrail_blocked')
    await call(await prove()(digest))
    assert.equal((await refused(call(await prove()('other')))).code, 'guardrail_blocked', 'other policies were applied')
    const old = prove(own, uid, () => new Date(Date.now() - 120_000))
    assert.equal((await refused(call(await old(digest)))).code, 'guardrail_blocked', 'an old proof')
    const forged = [
      await prove(await createTestIssuer().launcherOf(uid))(digest),
      await prove(await launcherOf('another'))(digest),
      await prove({ ...(await launcherOf('another')), certificate: own.certificate })(digest),
      await prove(own, 'another')(digest),
      'forged',
      '..',
    ]
    for (const proof of forged) {
      const error = await refused(call(proof, 'hello'))
      assert.deepEqual([error.status, error.code], [403, 'guardrail_proof_refused'])
    }
    assert.equal(
      (await refused(ask('hello', {}, { 'x-mesh-guarded': await prove()(digest) }))).code,
      'guardrail_proof_refused',
    )
    await applyPolicy(gateway.admin, b, 'shared', { ...shared, allowedNamespaces: ['elsewhere'] })
    const closed = await refused(call(undefined, 'hello'))
    assert.deepEqual([closed.status, closed.code], [503, 'filter_failed'], 'a policy that the agent may not use')
  })

  await t.test('an HTTP check passes, masks, stops and fails as configured, and proofs do not skip it', async () => {
    const asked: Record<string, unknown>[] = []
    let verdict: (body: { texts: string[]; stage: string }) => unknown = () => ({ flagged: false })
    const service = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { texts: string[]; stage: string }
        asked.push({ ...body })
        const given = verdict(body)
        if (given === 'hang') return
        response.writeHead(given === 'broken' ? 500 : 200, { 'content-type': 'application/json' })
        response.end(typeof given === 'string' ? given : JSON.stringify(given))
      })
    })
    const url = await listen(t, service)
    const rule = (name: string, action: 'mask' | 'block' | 'require_approval', onFailure: 'open' | 'closed') => ({
      name,
      action,
      http: { url: `${url}/v1`, timeout: '300ms', onFailure },
    })
    await policy('p', a, { appliesTo: 'namespace', rules: [rule('closed', 'mask', 'closed')] })
    await ask('hello')
    assert.deepEqual(asked[0], {
      policy: `${a}/p`,
      rule: 'closed',
      model: `${a}/up`,
      agent: null,
      runId: null,
      stage: 'request',
      texts: ['hello'],
    })
    assert.deepEqual([asked[1]?.['stage'], asked[1]?.['texts']], ['response', ['fine']])
    verdict = ({ texts }) => ({ flagged: true, texts: texts.map((text) => text.replaceAll(word, '#')) })
    completes(`it is ${word}!`, 1)
    const answer = await ask(`say ${word}`)
    assert.equal(answer.choices[0]?.message.content, 'it is #!')
    assert.match(textOf(upstream.seen.at(-1)?.body), /say #/)
    const stream = await gateway
      .as('admin', { 'x-mesh-namespace': a })
      .chat.completions.create({ model: 'up', stream: true, messages: [{ role: 'user', content: 'go' }] })
    let out = ''
    for await (const chunk of stream) out += chunk.choices[0]?.delta.content ?? ''
    assert.equal(out, 'it is #!')
    verdict = () => ({ flagged: true })
    const plain = await ask('x')
    assert.equal(plain.choices[0]?.message.content, '[masked]', 'a service that returns no texts')
    const failures = ['hang', 'broken', 'no JSON', '{}', '{"flagged":"yes"}', '{"flagged":true,"texts":[1]}'] as const
    for (const failure of failures) {
      verdict = () => failure
      assert.equal((await refused(ask('x'))).code, 'filter_failed', failure)
    }
    assert.equal(
      gateway.lines.some((line) => line.includes('"x"')),
      false,
    )
    await policy('p', a, { appliesTo: 'namespace', rules: [rule('open', 'block', 'open')] })
    for (const failure of failures) {
      verdict = () => failure
      await ask('x')
    }
    verdict = () => ({ flagged: true })
    assert.equal((await refused(ask('x'))).param, `${a}/p:open:http:request`)
    await policy('p', a, {
      appliesTo: 'namespace',
      rules: [{ name: 'gone', action: 'block', http: { url: 'http://10.1.2.3/', onFailure: 'closed' } }],
    })
    assert.equal((await refused(ask('x'))).code, 'filter_failed', 'M-2: an address that outbound calls may not reach')
    const { uid } = await addBudgetedAgent(gateway.admin, a, 'checked')
    const stored = await policy('p', a, { rules: [rule('open', 'require_approval', 'open')] })
    await setPolicies('checked', [{ name: 'p' }])
    const token = await tokenOf(gateway.admin, a, 'checked', 'gateway')
    const by = await launcherOf(uid)
    const prove = createGuardProof({ signer: () => by, agentUid: uid, now: () => new Date() })
    const call = async (approved: readonly string[]) =>
      gateway
        .client(token, { 'x-mesh-guarded': (await prove(toPolicySet([stored]).digest, approved)) ?? '' })
        .chat.completions.create({ model: 'up', messages: [{ role: 'user', content: 'x' }] })
    verdict = ({ stage }) => ({ flagged: stage === 'request' })
    assert.equal((await refused(call([]))).code, 'guardrail_approval_required')
    assert.equal((await refused(call([`${a}/p open response`]))).code, 'guardrail_approval_required', 'another stage')
    await call([`${a}/p open request`])
    assert.match(await gateway.metrics(), /mesh_guardrail_http_checks_total\{[^}]*outcome="failed"[^}]*\} [1-9]/)
  })

  await t.test('a policy that cannot be applied refuses calls', async () => {
    await policy('p', a, {
      appliesTo: 'namespace',
      rules: [{ name: 'bad', action: 'block', regex: { patterns: ['('] } }],
    })
    const error = await refused(ask('hello'))
    assert.deepEqual([error.status, error.code], [503, 'filter_failed'])
  })

  async function setPolicies(name: string, guardrails: readonly object[]): Promise<void> {
    const ref = { namespace: a, name } as never
    const body = { spec: { guardrails } }
    await gateway.admin.patch(AgentDeployment, ref, { type: 'merge', body } as never)
  }
})
