import assert from 'node:assert/strict'
import test from 'node:test'
import type { ServerResponse } from 'node:http'
import { needs } from '#test/harness/find-server.ts'
import type { CallLimit } from '../contract/points.ts'
import { startPaidGateway } from '../testing/role-calls.ts'

const servers = needs('kube-apiserver', 'etcd', 'postgres', 'initdb')
const usage = { prompt_tokens: 3, completion_tokens: 4 }
const used = 7n

function answerWhole(response: ServerResponse): void {
  const choices = [{ index: 0, message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }]
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ id: 'c', object: 'chat.completion', created: 1, model: 'm', choices, usage }))
}

test('R2-N4: calls of persons count against the tenant of the namespace of the route', servers, async (t) => {
  const { url, namespaces, quotas, state, upstream, accounts, kube, metered } = await startPaidGateway(t)
  state.answer = answerWhole
  const ask = async (body: object = {}) => {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${kube.tokens['developer']}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: `${namespaces.a}/paid`,
        messages: [{ role: 'user', content: 'Hi.' }],
        ...body,
      }),
    })
    const { error } = (await response.json()) as { error?: { code?: string } }
    return error === undefined ? response.status : `${response.status} ${error.code}`
  }
  const tenant = (more: Partial<CallLimit>): void =>
    void quotas.set(namespaces.a, [{ subject: { kind: 'Tenant', name: 't', uid: 't' }, countsCalls: true, ...more }])
  const spend = (amount: bigint) => ({ spend: { amount, currency: 'USD', window: 'total' } as const })
  const spent = async () => (await accounts())['Tenant/t']?.spent ?? 0n

  assert.equal(await ask(), 200, 'without a tenant nothing is counted')
  assert.equal(upstream.seen.at(-1)?.body['max_tokens'], undefined)
  tenant(spend(1_000n))
  assert.equal(await ask({ max_tokens: 50 }), 200)
  assert.equal(await spent(), used)
  const before = upstream.seen.length
  assert.equal(await ask({ max_tokens: 5_000 }), '402 budget_exceeded')
  assert.equal(await ask({ model: `${namespaces.a}/own-price` }), '422 price_unknown')
  assert.equal(await ask({ model: `${namespaces.a}/unpriced` }), '422 price_unknown')
  assert.equal(upstream.seen.length, before)
  assert.equal(await spent(), used)
  tenant({ requestsPerMinute: 1, subject: { kind: 'Tenant', name: 'rate', uid: 'rate' } })
  assert.deepEqual([await ask(), await ask()], [200, '429 rate_limited'])
  assert.equal(upstream.seen.at(-1)?.body['max_tokens'], undefined, 'only money bounds the output')
  const rows = await metered((all) => all.length >= 3)
  assert.ok(rows.every(({ data }) => (data['cost'] as { price: string }).price === 'settings'))
})
