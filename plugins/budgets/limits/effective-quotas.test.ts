import assert from 'node:assert/strict'
import test from 'node:test'
import type { Access, Caller } from '#core/cluster/caller.ts'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { newHold, openLedger } from '../testing/ledger.ts'
import type { CallLimit } from '../contract/points.ts'
import { toLimit } from './agent-limits.ts'
import { createBudgetReader, createEffectiveQuotas } from './effective-quotas.ts'

const budget = { amount: '5', currency: 'USD', window: 'month' } as const
const agent: AgentDeploymentObject = {
  apiVersion: AgentDeployment.apiVersion,
  kind: AgentDeployment.kind,
  metadata: { namespace: 'demo', name: 'one', uid: 'agent-1' },
  spec: { model: { route: 'mock' }, budget },
}
const { budget: _, ...spec } = agent.spec
const unlimited = { ...agent, spec }
const signal = new AbortController().signal
const access = {} as Access<'list', 'costs'>

function callerWith(may: boolean): Caller {
  return { may: async () => (may ? {} : undefined) } as unknown as Caller
}

test('quotas say where they are written, and hide the numbers of an object that the caller may not read', async () => {
  const tenant: CallLimit = {
    subject: { kind: 'Tenant', name: 'acme', uid: 't-1' },
    spend: { amount: 100_000_000n, currency: 'EUR', window: 'day' },
    requestsPerMinute: 60,
  }
  const read = createEffectiveQuotas(() => [{ name: 'tenants', limitsOf: async () => [tenant] }])
  const own = {
    readable: true,
    spend: budget,
    requestsPerMinute: null,
    concurrency: null,
    from: { kind: 'AgentDeployment', namespace: 'demo', name: 'one', field: 'spec.budget' },
  }
  const from = { kind: 'Tenant', namespace: null, name: 'acme', field: 'spec.quota' }
  assert.deepEqual(await read(agent, callerWith(true), signal), {
    quotas: [
      own,
      {
        readable: true,
        spend: { amount: '100', currency: 'EUR', window: 'day' },
        requestsPerMinute: 60,
        concurrency: null,
        from,
      },
    ],
  })
  assert.deepEqual(await read(unlimited, callerWith(false), signal), {
    quotas: [{ readable: false, spend: null, requestsPerMinute: null, concurrency: null, from }],
  })
})

for (const { name, skip, open } of pluginAdapters)
  test(`${name}: the money of a budget is that of the ledger`, { skip }, async (t) => {
    const { ledger } = await openLedger(t, open)
    const now = new Date()
    const read = createBudgetReader(ledger, () => now)
    assert.partialDeepStrictEqual(await read(access, agent), { spent: '0', held: '0', limit: '5', remaining: '5' })
    const limit = toLimit({ namespace: 'demo', name: 'one', uid: 'agent-1' }, budget)
    await ledger.reserve(newHold({ amount: 1_500_000n, limits: [limit] }))
    const held = await read(access, agent)
    assert.partialDeepStrictEqual(held, { currency: 'USD', window: 'month', held: '1.5', remaining: '3.5' })
    assert.ok(Date.parse(held?.resetsAt ?? '') > now.getTime())
    assert.equal(await read(access, unlimited), null)
  })
