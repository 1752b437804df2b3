import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import test from 'node:test'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import type { Payer } from '#core/retrieval/payer.ts'
import { ModelCallFailed } from '#core/role-models/model-call-error.ts'
import { createRoleModels } from '#core/role-models/role-models.ts'
import type { PaidChat } from '#core/role-models/role-models.ts'
import { needs } from '#test/harness/find-server.ts'
import type { CallLimit } from '../contract/points.ts'
import { startPaidGateway } from '../testing/role-calls.ts'

const servers = needs('kube-apiserver', 'etcd', 'postgres', 'initdb')
const usage = { prompt_tokens: 3, completion_tokens: 4 }
const used = 7n

function answerChat(response: ServerResponse): void {
  const choices = [{ index: 0, message: { role: 'assistant', content: 'Four.' }, finish_reason: 'stop' }]
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ id: 'c', object: 'chat.completion', created: 1, model: 'm', choices, usage }))
}

test('chat calls of a worker are held, charged and metered for the payer that it names', servers, async (t) => {
  const gateway = await startPaidGateway(t)
  const { namespaces, quotas, state, upstream, addPayingAgent, accounts, startRun, tokens } = gateway
  state.answer = answerChat
  const models = createRoleModels({ gatewayUrl: () => gateway.url, bearer: async () => tokens.worker })
  const ask = async (payer: Payer, more: Partial<PaidChat> = {}, runId?: string): Promise<string> => {
    const messages = [{ role: 'user', content: 'Two and two?' }] as const
    try {
      const call = { route: `${namespaces.a}/paid`, messages, maxOutputTokens: 20, ...more }
      return (await models.paidBy(payer, runId).chat(call)).text
    } catch (error) {
      if (error instanceof ModelCallFailed) return error.reason
      throw error
    }
  }
  const spent = async (owner: string) => {
    const { spent: sum, held } = (await accounts())[owner] ?? { spent: 0n, held: 0n }
    assert.equal(held, 0n, owner)
    return sum
  }

  await t.test('an agent by its budget, with the output that the request allows', async () => {
    const agent = await addPayingAgent('judge', { amount: '0.001' })
    assert.equal(await ask(agent), 'Four.')
    assert.equal(await spent(`AgentDeployment/${agent.uid}`), used)
    assert.equal(upstream.seen.at(-1)?.body['max_tokens'], 20)
    const [metered] = await gateway.metered(1)
    assert.deepEqual(
      [
        metered?.data['agentUid'],
        metered?.data['payer'],
        (metered?.data['cost'] as { amount: string } | undefined)?.amount,
      ],
      [agent.uid, { namespace: namespaces.a, namespaceUid: null, agent: 'judge' }, '0.000007'],
    )
    const before = upstream.seen.length
    assert.equal(await ask(agent, { maxOutputTokens: 5_000 }), 'budget_exceeded', 'the output is held, too')
    assert.equal(await ask(agent, { route: `${namespaces.a}/unpriced` }), 'price_unknown')
    assert.equal(
      await ask(agent, { route: 'agent/default/judge' }),
      'invalid_request',
      'an agent is no model of a role',
    )
    for (const maxOutputTokens of [0, -1, 1.5, 1e300])
      assert.equal(await ask(agent, { maxOutputTokens }), 'invalid_request', String(maxOutputTokens))
    assert.equal(upstream.seen.length, before)
    assert.equal(await spent(`AgentDeployment/${agent.uid}`), used)
  })

  await t.test('a response names its cost, and calls for one purpose stay below their cap together', async () => {
    const agent = await addPayingAgent('capped')
    const messages = [{ role: 'user', content: 'Two and two?' }] as const
    const call = { route: `${namespaces.a}/paid`, messages, maxOutputTokens: 20 }
    const { cost } = await models.paidBy(agent).chat(call)
    assert.deepEqual(cost, { amount: '0.000007', currency: 'USD' })
    const cap = { id: uuidV7(), window: 'total', amount: '0.0002', currency: 'USD' } as const
    const before = upstream.seen.length
    const outcomes = await Promise.all(Array.from({ length: 40 }, () => ask(agent, { cap })))
    const made = outcomes.filter((one) => one === 'Four.').length
    assert.deepEqual(new Set(outcomes), new Set(['Four.', 'cap_exceeded']))
    assert.equal(upstream.seen.length - before, made, 'a refused call reaches no provider')
    assert.equal(await spent(`Cap/${cap.id}`), BigInt(made) * used)
    for (let more = 0; more < 60 && (await ask(agent, { cap })) === 'Four.'; more++);
    assert.ok((await spent(`Cap/${cap.id}`)) <= 200n)
    assert.equal(await ask(agent, { cap }), 'cap_exceeded')
    assert.equal(await ask(agent, { cap: { ...cap, id: uuidV7() } }), 'Four.', 'another purpose has its own')
    assert.equal(await ask(agent, { cap: { ...cap, id: uuidV7(), currency: 'EUR' } }), 'price_unknown')
    assert.equal(await ask(agent, { cap, route: `${namespaces.a}/unpriced` }), 'price_unknown')
    for (const id of ['', 'x', '../y', 'x'.repeat(200)])
      assert.equal(await ask(agent, { cap: { ...cap, id } }), 'invalid_request', id)
    for (const amount of ['', '-1', '1e9', '1.0000001', '9'.repeat(30)])
      assert.equal(await ask(agent, { cap: { ...cap, amount } }), 'invalid_request', amount)
  })

  await t.test('a namespace by the quota of its tenant', async () => {
    const limit: CallLimit = {
      subject: { kind: 'Tenant', name: 't', uid: 't' },
      countsCalls: true,
      spend: { amount: 1_000n, currency: 'USD', window: 'total' },
    }
    quotas.set(namespaces.b, [limit])
    const namespace = { kind: 'namespace', namespace: namespaces.b, uid: 'uid-b' } as const
    assert.equal(await ask(namespace), 'Four.')
    assert.equal(await spent('Tenant/t'), used)
    assert.equal(await ask(namespace, { maxOutputTokens: 5_000 }), 'budget_exceeded')
    const subject = { kind: 'Tenant', name: 'rate', uid: 'rate' } as const
    quotas.set(namespaces.b, [{ subject, countsCalls: true, requestsPerMinute: 1 }])
    assert.deepEqual([await ask(namespace), await ask(namespace)], ['Four.', 'throttled'])
    quotas.delete(namespaces.b)
  })

  await t.test('the agents above the run that it names', async () => {
    const [root, child] = [await addPayingAgent('root', { amount: '0.0002' }), await addPayingAgent('leaf')]
    const rootRun = await startRun({ agent: root })
    const run = await startRun({ agent: child, parent: rootRun, root: rootRun })
    assert.equal(await ask(child, { maxOutputTokens: 5 }, run), 'Four.')
    assert.equal(await spent(`AgentDeployment/${root.uid}`), used)
    assert.equal(await ask(child, { maxOutputTokens: 500 }, run), 'budget_exceeded')
    assert.equal(await ask(child, {}, rootRun), 'refused', 'a run of another agent')
  })
})
