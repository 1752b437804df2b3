import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { parse } from 'csv-parse/sync'
import { addRoute } from '#plugins/providers/testing/gateway.ts'
import type { TraceSpanNode } from '#schemas/api/traces.ts'
import { agentCommand } from './platform/agent-command.ts'
import type { Delegated } from './platform/agent-command.ts'
import { sharedEmbedded } from './platform/shared-platform.ts'

interface Money {
  readonly amount: string
  readonly currency: string
}

interface Costs {
  readonly cost: Money | null
  readonly treeCost: Money | null
  readonly unpricedCalls: number
  readonly pendingCalls: number
}

type Run = Costs & { readonly id: string; readonly state: string; readonly output: unknown }
type Delegating = { readonly status: number; readonly child: Delegated }
type Detail = { readonly costs: Costs | null; readonly roots: readonly TraceSpanNode[] }

const namespace = 'cost-runs'

// Calls a model, and delegates the names in its input, one below the other: each of them calls a model as well.
const command = agentCommand(async ({ input }, run) => {
  const { status } = await run.askModel('priced')
  const [agent, ...below] = input as string[]
  return agent === undefined ? { status } : { status, child: await run.delegate({ agent, input: below }) }
})

const isKnown = (costs: Costs | null): boolean => costs !== null && costs.pendingCalls === 0 && costs.cost !== null
const sumOf = (costs: readonly (string | undefined)[]): string =>
  String(costs.reduce((sum, amount) => sum + Math.round(Number(amount) * 1e6), 0) / 1e6)
const all = (spans: readonly TraceSpanNode[]): readonly TraceSpanNode[] =>
  spans.flatMap((span) => [span, ...all(span.children)])

test('R2-M4: run, list, tree, trace, cost view and CSV have one cost', async (t) => {
  const platform = await sharedEmbedded()
  const bearer = platform.tokens.admin
  const ask = (method: string, path: string, body?: unknown) =>
    platform.send({ method, path: `/api${path}`, bearer, ...(body ? { body } : {}) })
  const get = async <T>(path: string): Promise<T> => {
    const response = await ask('GET', path)
    assert.equal(response.status, 200, response.text)
    return response.json<T>()
  }
  const until = async <T>(read: () => Promise<T>, holds: (value: T) => boolean): Promise<T> => {
    const end = performance.now() + 60_000
    for (;;) {
      const value = await read()
      if (holds(value)) return value
      assert.ok(performance.now() < end, `not within a minute: ${JSON.stringify(value)}`)
      await pause(50)
    }
  }
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }
  const made = await platform.kube({ method: 'POST', path: '/api/v1/namespaces', bearer, body })
  assert.equal(made.status, 201, made.text)
  const prices = { inputPerMillion: '1', outputPerMillion: '2' }
  await addRoute(platform.admin, namespace, 'priced', { provider: { type: 'mock' }, route: { prices } })
  // With a budget the spans of the launcher have the cost of their call.
  for (const name of ['parent', 'child', 'grandchild']) {
    const config = { name, runtime: { command }, model: { route: 'priced' }, budget: { amount: '1' } }
    const created = await ask('POST', '/agents', { namespace, config })
    assert.equal(created.status, 201, created.text)
  }
  const invoked = await ask('POST', '/invoke', {
    agent: { namespace, name: 'parent' },
    input: ['child', 'grandchild'],
    timeout: '60s',
  })
  const { runId, output } = invoked.json<{ runId: string; output: Delegating }>()
  assert.deepEqual([output.status, output.child.status], [200, 200], invoked.text)
  const childId = output.child.body.runId ?? ''
  const inner = output.child.body.output as Delegating
  assert.deepEqual([inner.status, inner.child.status], [200, 200], invoked.text)

  const parent = await until(() => get<Run>(`/runs/${runId}`), isKnown)
  const leaf = await until(() => get<Run>(`/runs/${inner.child.body.runId}`), isKnown)
  await until(() => get<Run>(`/runs/${childId}`), isKnown)
  const treeOf = (...runs: readonly Run[]) => ({ amount: sumOf(runs.map(({ cost }) => cost?.amount)), currency: 'USD' })
  const hasTree = (id: string, expected: Money) =>
    until(
      () => get<Run>(`/runs/${id}`),
      ({ treeCost }) => treeCost?.amount === expected.amount && treeCost.currency === expected.currency,
    )
  const child = await hasTree(childId, treeOf(await get<Run>(`/runs/${childId}`), leaf))
  const whole = await hasTree(runId, treeOf(parent, child, leaf))
  assert.ok(Number(parent.cost?.amount) > 0)
  assert.deepEqual(leaf.treeCost, leaf.cost, 'no run is below the grandchild')
  const costsOf = ({ cost, treeCost, unpricedCalls, pendingCalls }: Costs): Costs => ({
    cost,
    treeCost,
    unpricedCalls,
    pendingCalls,
  })
  assert.deepEqual([parent.unpricedCalls, parent.pendingCalls], [0, 0])

  await t.test('list and tree', async () => {
    const { items } = await get<{ items: readonly Run[] }>(`/runs?namespace=${namespace}`)
    for (const run of [whole, child, leaf]) {
      const listed = items.find(({ id }) => id === run.id)
      assert.deepEqual(listed && costsOf(listed), costsOf(run))
      assert.deepEqual(costsOf(await get<Costs>(`/runs/${run.id}/tree`)), costsOf(run))
    }
  })

  await t.test('trace: the sum of its spans', async () => {
    const priced = ({ roots }: Detail) => all(roots).flatMap(({ attributes }) => attributes['mesh.model.cost'] ?? [])
    const detail = await until(
      () => get<Detail>(`/traces/${runId}/detail`),
      (found) => priced(found).length === 3,
    )
    assert.equal(sumOf(priced(detail).map(String)), whole.treeCost?.amount)
    assert.deepEqual(detail.costs, costsOf(whole))
    assert.deepEqual((await get<Detail>(`/traces/${runId}`)).costs, costsOf(whole))
  })

  await t.test('cost view, breakdown, chargeback and both CSV formats', async () => {
    const query = `namespace=${namespace}`
    const view = await get<{ total: { cost: Money[]; calls: number; complete: boolean } }>(`/cost?${query}`)
    assert.deepEqual(
      [view.total.cost, view.total.calls, view.total.complete],
      [[whole.treeCost], 3, true],
      'every call of the namespace is one of the three runs',
    )
    const { items } = await get<{ items: { agent: { name: string }; cost: Money[] }[] }>(`/cost/breakdown?${query}`)
    assert.deepEqual(
      items.map(({ agent, cost }) => [agent.name, cost]),
      [
        ['child', [child.cost]],
        ['grandchild', [leaf.cost]],
        ['parent', [parent.cost]],
      ],
    )
    for (const [format, column] of [
      ['csv', 'cost'],
      ['focus', 'BilledCost'],
    ] as const) {
      const { text } = await ask('GET', `/cost/chargeback?${query}&format=${format}`)
      const rows = parse<Record<string, string>>(text, { columns: true })
      assert.equal(sumOf(rows.map((row) => row[column])), whole.treeCost?.amount, format)
      if (format !== 'csv') continue
      const costOf = (name: string) => sumOf(rows.filter(({ agent }) => agent === name).map(({ cost }) => cost))
      assert.deepEqual(
        ['parent', 'child', 'grandchild'].map(costOf),
        [parent, child, leaf].map(({ cost }) => cost?.amount),
      )
    }
  })
})
