import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import test from 'node:test'
import { needs } from '#test/harness/find-server.ts'
import { moneyLimit, newHold } from '../testing/ledger.ts'
import { startPaidGateway } from '../testing/role-calls.ts'
import { tokenOf } from '#test/harness/service-accounts.ts'
import { createRenewal } from './renewal.ts'

const servers = needs('kube-apiserver', 'etcd', 'postgres', 'initdb')
// As the ledger keeps it.
const priceOf = (provider: string) =>
  ({ provider, model: 'test-1', source: 'test', currency: 'USD', ...perMillion }) as const
const perMillion = { input: '1000000', cached: '1000000', output: '1000000', reasoning: '1000000' }
const usage = { prompt_tokens: 3, completion_tokens: 4 }
const hello = [{ role: 'user', content: 'Hi.' }]
// A token costs one micro-unit.
const used = 7n

function answerWhole(response: ServerResponse): void {
  const choices = [{ index: 0, message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }]
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ id: 'c', object: 'chat.completion', created: 1, model: 'm', choices, usage }))
}

function frame(more: object): string {
  return `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', ...more })}\n\n`
}

const text = frame({ choices: [{ index: 0, delta: { role: 'assistant', content: 'Hi.' } }] })

test('an agent without a budget is bounded by the agents whose runs it serves', servers, async (t) => {
  const gateway = await startPaidGateway(t)
  const { namespaces, quotas, startRun, state, upstream, ledger, addPayingAgent, accounts } = gateway
  const moneyOf = async ({ uid }: { readonly uid: string }) => {
    const found = (await accounts())[`AgentDeployment/${uid}`]
    return { spent: found?.spent ?? 0n, held: found?.held ?? 0n }
  }
  /** A child in a run of a root with a budget, and its calls. */
  const startTree = async (name: string, amount: string, ofChild?: object, ofRoot?: object) => {
    const root = await addPayingAgent(`${name}-root`, { amount, ...ofRoot })
    const child = await addPayingAgent(name, ofChild)
    const rootRun = await startRun({ agent: root })
    const run = await startRun({ agent: child, parent: rootRun, root: rootRun })
    const token = await tokenOf(gateway.admin, namespaces.a, name, 'gateway')
    const post = (path: string, body: object, headers: Record<string, string> = {}) =>
      fetch(`${gateway.url}/v1/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ model: 'paid', ...(path === 'embeddings' ? {} : { messages: hello }), ...body }),
      })
    const ask = async (body: object = {}, headers: Record<string, string> = {}) => {
      const answer = await post('chat/completions', body, headers)
      const { error } = (await answer.json()) as { error?: { code?: string } }
      return error === undefined ? answer.status : `${answer.status} ${error.code}`
    }
    return { root, child, rootRun, run, token, post, ask, named: { 'x-mesh-run-id': run } }
  }
  /** A hold as the launcher of an agent makes it. */
  const newLauncherHold = (some: Parameters<typeof newHold>[0]) =>
    newHold({ route: `${namespaces.a}/paid`, prices: [priceOf(`${namespaces.a}/paid`)], ...some })
  const sent = () => upstream.seen.at(-1)?.body ?? {}
  state.answer = answerWhole

  await t.test('B1: the root is held while the provider works, and charged by usage; a limit is sent', async () => {
    const { root, ask, named } = await startTree('plain', '1')
    let during = { spent: 1n, held: 0n }
    const observe = async (response: ServerResponse): Promise<void> => {
      during = await moneyOf(root)
      answerWhole(response)
    }
    state.answer = (response) => void observe(response)
    assert.equal(await ask({}, named), 200)
    assert.ok(
      during.spent === 0n && during.held > 4_096n,
      JSON.stringify(during, (_, value) => String(value)),
    )
    assert.deepEqual(await moneyOf(root), { spent: used, held: 0n })
    assert.equal(sent()['max_tokens'], 4_096)
    state.answer = answerWhole
    assert.equal(await ask({ max_tokens: null, max_completion_tokens: null }), 200, 'no run is named')
    assert.deepEqual([sent()['max_tokens'], 'max_completion_tokens' in sent()], [4_096, false])
    assert.equal(await ask({ max_completion_tokens: 20 }, named), 200)
    assert.deepEqual([sent()['max_tokens'], sent()['max_completion_tokens']], [undefined, 20])
    assert.deepEqual(await moneyOf(root), { spent: used * 3n, held: 0n })
  })

  await t.test('B1: no call passes that the root does not cover, in the form of each API', async () => {
    const { root, ask, post, named } = await startTree('poor', '0.00001')
    const before = upstream.seen.length
    assert.equal(await ask({ max_tokens: 5 }), '402 budget_exceeded')
    assert.equal(await ask({ max_tokens: 5 }, named), '402 budget_exceeded')
    const message = await post('messages', { max_tokens: 5 }, named)
    assert.equal(message.status, 402)
    assert.equal(((await message.json()) as { type?: string }).type, 'error')
    const vector = await post('embeddings', { input: 'a text that is longer than the money' }, named)
    assert.equal(vector.status, 402)
    assert.equal(upstream.seen.length, before)
    assert.deepEqual(await moneyOf(root), { spent: 0n, held: 0n })
  })

  await t.test('B1: a refusal says whether the agent above that is used up pauses its runs', async () => {
    const paused = await startTree('waiting', '0.00001', undefined, { onExceed: 'pause' })
    const failed = await startTree('failing', '0.00001', undefined, { onExceed: 'fail' })
    for (const path of ['chat/completions', 'messages'])
      for (const [tree, expected] of [
        [paused, 'pause'],
        [failed, 'fail'],
      ] as const) {
        const answer = await tree.post(path, { max_tokens: 5 }, tree.named)
        await answer.text()
        assert.deepEqual([answer.status, answer.headers.get('x-mesh-on-exceed')], [402, expected], path)
      }
    const between = await startTree('between', '1', undefined, { onExceed: 'pause' })
    const poor = await addPayingAgent('between-poor', { amount: '0.00001' })
    const below = await startRun({ agent: poor, parent: between.rootRun, root: between.rootRun })
    const run = await startRun({ agent: between.child, parent: below, root: between.rootRun })
    const answer = await between.post('chat/completions', { max_tokens: 5 }, { 'x-mesh-run-id': run })
    await answer.text()
    assert.equal(answer.headers.get('x-mesh-on-exceed'), 'fail', 'by the budget that refuses, not by another one')
  })

  await t.test('B1: concurrent calls spend no more than the root has', async () => {
    const { root, ask, named } = await startTree('busy', '0.001')
    const before = upstream.seen.length
    const body = { max_tokens: 100, n: 2 }
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(body, named)))
    const made = answers.filter((answer) => answer === 200).length
    assert.ok(made >= 1 && answers.every((answer) => answer === 200 || answer === '402 budget_exceeded'))
    assert.equal(upstream.seen.length - before, made)
    assert.deepEqual(await moneyOf(root), { spent: used * BigInt(made), held: 0n })
    const wide = await ask({ max_tokens: 100, n: 20 }, named)
    assert.equal(wide, '402 budget_exceeded', 'each choice has its own output')
  })

  await t.test('B3: a stream is charged by its usage, one that its provider cuts at what is held', async () => {
    const { root, post, named } = await startTree('streams', '1')
    const stream = { stream: true, max_tokens: 50 }
    state.answer = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(`${text}${frame({ choices: [], usage })}data: [DONE]\n\n`)
    }
    assert.match(await (await post('chat/completions', stream, named)).text(), /\[DONE\]/)
    assert.deepEqual(await moneyOf(root), { spent: used, held: 0n })
    state.answer = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(text, () => response.destroy())
    }
    await (await post('chat/completions', stream, named)).text().catch(() => undefined)
    const { spent, held } = await moneyOf(root)
    assert.ok(spent > used + 50n && held === 0n, String(spent))
    state.answer = answerWhole
  })

  await t.test('B3: a stream that its caller leaves is charged by what was seen, at least the input', async () => {
    const { root, child, post, named } = await startTree('leaver', '1')
    state.answer = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(text.repeat(3))
    }
    const answer = await post('chat/completions', { stream: true, max_tokens: 50 }, named)
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader()
    let seen = ''
    while (seen.split('Hi.').length <= 3) {
      const { done, value } = await reader.read()
      assert.equal(done, false, seen)
      seen += Buffer.from(value ?? []).toString()
    }
    const during = await moneyOf(root)
    await reader.cancel()
    await gateway.metered((rows) => rows.some(({ data }) => data['agentUid'] === child.uid && data['status'] === 499))
    // The hold covers the input and 50 tokens; three were seen.
    assert.deepEqual(await moneyOf(root), { spent: during.held - 47n, held: 0n })
    state.answer = answerWhole
  })

  await t.test('B3: a caller that leaves before an answer, and an answer without a stream, cost the hold', async () => {
    const { root, child, token } = await startTree('early', '1')
    const leave = new AbortController()
    state.answer = () => leave.abort()
    const sending = fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'paid', messages: [{ role: 'user', content: 'Hi.' }], max_tokens: 50 }),
      signal: leave.signal,
    })
    await assert.rejects(sending)
    await gateway.metered((rows) => rows.some(({ data }) => data['agentUid'] === child.uid && data['status'] === 499))
    const { spent, held } = await moneyOf(root)
    assert.ok(spent > 50n && held === 0n, String(spent))
    state.answer = answerWhole
  })

  await t.test('B3: a stream that a filter stops is paid for, and so is the usage behind a filter', async () => {
    const { root, post, named } = await startTree('stopped', '1')
    const stopping = { ...named, 'x-test-stop': '1' }
    const body = { stream: true, max_tokens: 50 }
    let during = { spent: 1n, held: 0n }
    const stop = async (response: ServerResponse): Promise<void> => {
      during = await moneyOf(root)
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(frame({ choices: [{ index: 0, delta: { content: 'Please stop.' } }] }))
    }
    state.answer = (response) => void stop(response)
    const refused = await post('chat/completions', body, stopping)
    assert.equal(refused.status, 403)
    await refused.text()
    const { spent, held } = await moneyOf(root)
    assert.deepEqual([spent, held], [during.held - 46n, 0n], 'four tokens of 50')
    state.answer = answerWhole
    assert.equal((await post('chat/completions', { max_tokens: 50 }, stopping)).status, 200)
    assert.deepEqual(await moneyOf(root), { spent: spent + used, held: 0n })
  })

  await t.test('money is decided before guardrails, which give it back and get no more of it', async () => {
    const body = { messages: [{ role: 'user', content: 'Please stop.' }], max_tokens: 50 }
    const before = upstream.seen.length
    const poor = await startTree('ordered-poor', '0.00001')
    assert.equal(await poor.ask(body, { ...poor.named, 'x-test-stop': '1' }), '402 budget_exceeded')
    const { root, ask, post, named } = await startTree('ordered', '1')
    const stopping = { ...named, 'x-test-stop': '1' }
    assert.equal(await ask(body, stopping), '403 acme_secret')
    assert.equal((await post('messages', body, stopping)).status, 403)
    assert.deepEqual(await moneyOf(root), { spent: 0n, held: 0n })
    assert.equal(upstream.seen.length, before)
    for (const field of ['max_tokens', 'max_completion_tokens']) {
      assert.equal(await ask({ [field]: 50 }, { ...named, 'x-test-raise': '1' }), 200)
      const other = field === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens'
      assert.deepEqual([sent()[field], sent()[other]], [50, undefined], 'in the field of the caller')
    }
    assert.equal(await ask({}, { ...named, 'x-test-raise': '1' }), 200)
    assert.equal(sent()['max_tokens'], 4_096)
  })

  await t.test('hostile limits of the output are refused before money is held', async () => {
    const { root, ask, named } = await startTree('hostile', '1')
    const before = upstream.seen.length
    for (const body of [
      { max_tokens: '5' },
      { max_tokens: 2 ** 31 },
      { max_tokens: -1 },
      { max_completion_tokens: 1.5 },
      { n: 0 },
      { n: 129 },
      { n: {} },
    ])
      assert.equal(await ask(body, named), '400 invalid_body', JSON.stringify(body))
    assert.equal(upstream.seen.length, before)
    assert.deepEqual(await moneyOf(root), { spent: 0n, held: 0n })
  })

  await t.test('every agent above pays, and none for a run that no agent called', async () => {
    const { root, child, rootRun } = await startTree('chain', '1', { amount: '1' })
    const leaf = await addPayingAgent('leaf')
    const token = await tokenOf(gateway.admin, namespaces.a, 'leaf', 'gateway')
    const below = await startRun({ agent: child, parent: rootRun, root: rootRun })
    const ask = async (run: string) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'x-mesh-run-id': run }
      const body = JSON.stringify({ model: 'paid', messages: [{ role: 'user', content: 'Hi.' }] })
      const answer = await fetch(`${gateway.url}/v1/chat/completions`, { method: 'POST', headers, body })
      await answer.text()
      return answer.status
    }
    assert.equal(await ask(await startRun({ agent: leaf, parent: below, root: rootRun })), 200)
    const paid = [await moneyOf(root), await moneyOf(child)]
    assert.deepEqual(
      paid.map(({ spent }) => spent),
      [used, used],
    )
    assert.equal(await ask(await startRun({ agent: leaf })), 200, 'its own run')
    assert.equal(await ask(below), 403, 'the run of another agent')
    assert.deepEqual([await moneyOf(root), await moneyOf(child)], paid)
  })

  await t.test('what a launcher holds is not held twice', async () => {
    const { root, child, ask, named } = await startTree('launched', '1')
    const hold = newLauncherHold({ agentUid: child.uid, limits: [moneyLimit('launched', 1_000n)] })
    await ledger.reserve(hold)
    assert.equal(await ask({}, { ...named, 'x-mesh-hold': hold.id }), 200)
    assert.deepEqual(await moneyOf(root), { spent: 0n, held: 0n })
    assert.deepEqual(await moneyOf({ uid: 'launched' }), { spent: used, held: 0n }, 'settled by the gateway')
    const late = await ledger.end({ id: hold.id, holder: hold.holder, state: 'settled', charge: 99n })
    assert.equal(late?.charged, used, 'its launcher is too late, and learns the cost')
    assert.equal(sent()['max_tokens'], 10, 'no more output than is held')
    const wide = newLauncherHold({ agentUid: child.uid, limits: [moneyLimit('launched', 1_000n)] })
    await ledger.reserve(wide)
    assert.equal(await ask({ max_tokens: 50 }, { ...named, 'x-mesh-hold': wide.id }), 200)
    assert.equal(sent()['max_tokens'], 10)
    for (const id of [randomUUID(), 'x', `${hold.id}0`, hold.id])
      assert.equal(await ask({}, { ...named, 'x-mesh-hold': id }), 200)
    assert.deepEqual(await moneyOf(root), { spent: used * 4n, held: 0n }, 'an unknown or used hold pays for nothing')
    quotas.set(namespaces.a, [{ subject: { kind: 'Tenant', name: 't', uid: 't' }, countsCalls: true }])
    assert.equal(await ask({}, named), '402 hold_required', 'limited by itself')
    assert.deepEqual(await moneyOf(root), { spent: used * 4n, held: 0n })
    quotas.clear()
  })

  await t.test(
    'B2, B3: the hold of a launcher that is gone costs what was seen; a refused call costs nothing',
    async () => {
      const { child, ask, post, named } = await startTree('orphan', '1')
      const open = async (owner: string) => {
        const hold = newLauncherHold({ agentUid: child.uid, amount: 500n, limits: [moneyLimit(owner, 1_000n)] })
        await ledger.reserve(hold)
        return { ...named, 'x-mesh-hold': hold.id }
      }
      const refused = await open('refused')
      const stop = { messages: [{ role: 'user', content: 'Please stop.' }], max_tokens: 5 }
      assert.equal(await ask(stop, { ...refused, 'x-test-stop': '1' }), '403 acme_secret')
      assert.deepEqual(await moneyOf({ uid: 'refused' }), { spent: 0n, held: 0n })
      state.answer = (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(text.repeat(3))
      }
      const answer = await post('chat/completions', { stream: true, max_tokens: 5 }, await open('orphan'))
      const reader = (answer.body as ReadableStream<Uint8Array>).getReader()
      let seen = ''
      while (seen.split('Hi.').length <= 3) seen += Buffer.from((await reader.read()).value ?? []).toString()
      await reader.cancel()
      await gateway.metered((rows) => rows.some(({ data }) => data['agentUid'] === child.uid && data['status'] === 499))
      const { spent, held } = await moneyOf({ uid: 'orphan' })
      assert.ok(spent > 3n && spent < 500n && held === 0n, String(spent))
      state.answer = answerWhole
    },
  )

  await t.test('B5: without the store no call is made', async () => {
    const { ask, named } = await startTree('patient', '1')
    const before = upstream.seen.length
    state.down = true
    assert.equal(await ask({}, named), '503 store_unavailable')
    assert.equal(upstream.seen.length, before)
    state.down = false
    assert.equal(await ask({}, named), 200)
  })
})

test('leases of calls in progress are renewed together, and not after their end', async () => {
  const ticks: (readonly string[])[] = []
  let next = Promise.withResolvers<void>()
  const renewal = createRenewal((ids) => {
    ticks.push(ids)
    next.resolve()
    return Promise.reject(new Error('the store is away'))
  }, 1)
  const tick = () => {
    next = Promise.withResolvers<void>()
    return next.promise
  }
  renewal.add('a')
  renewal.add('b')
  await tick()
  await tick()
  assert.deepEqual(ticks.at(-1), ['a', 'b'])
  renewal.remove('a')
  await tick()
  assert.deepEqual(ticks.at(-1), ['b'])
  renewal.remove('b')
  const count = ticks.length
  renewal.add('c')
  await tick()
  assert.deepEqual(ticks.slice(count), [['c']])
  renewal.remove('c')
})
