import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { createCallPricing } from './call-pricing.ts'
import { formatMicros, MAX_MICROS, parseMicros } from '#schemas/values/money.ts'
import { costOf, mostOf } from './price.ts'
import { costOfCall, mostOfRoute, pricesOfRoute } from './price-table.ts'
import type { PricedCall } from './price-table.ts'
import { isFromAbove, ownNamespaces } from './spender.ts'

const settings = { prices: [], shippedPrices: true }
const prices = {
  input: 1_000_000n,
  cached: 500_000n,
  cacheWrite: 1_250_000n,
  cacheWrite1h: 2_000_000n,
  output: 2_000_000n,
  reasoning: 3_000_000n,
}
const free = { input: 0n, cached: 0n, cacheWrite: 0n, cacheWrite1h: 0n, output: 0n, reasoning: 0n }

test('amounts are decimal text with six places, exactly', () => {
  for (const [text, micros] of [
    ['0', 0n],
    ['5.00', 5_000_000n],
    ['0.000001', 1n],
    ['999999999999.999999', 999_999_999_999_999_999n],
  ] as const)
    assert.equal(parseMicros(text), micros)
  assert.deepEqual([0n, 1n, 1_250n, 5_000_000n, -10n].map(formatMicros), ['0', '0.000001', '0.00125', '5', '-0.00001'])
  for (const text of ['', '-1', '1.', '.5', '1e3', '1.0000001', 'NaN', ' 1', '1234567890123'])
    assert.throws(() => parseMicros(text), RangeError, text)
  const micros = fc.bigInt({ min: 0n, max: 999_999_999_999_999_999n })
  fc.assert(fc.property(micros, (amount) => parseMicros(formatMicros(amount)) === amount))
})

test('B4: a cost is rounded up, and no usage within the bounds costs more than its hold', () => {
  const one = { inputTokens: 1, outputTokens: 0, cachedTokens: 0, reasoningTokens: 0 }
  assert.equal(costOf({ ...prices, input: 1n }, one), 1n)
  assert.equal(costOf(free, one), 0n, 'a price of 0 is a price')
  const count = fc.nat(1_000_000)
  const price = fc.bigInt({ min: 0n, max: 10n ** 18n })
  const table = fc.record({
    input: price,
    cached: price,
    cacheWrite: price,
    cacheWrite1h: price,
    output: price,
    reasoning: price,
  })
  fc.assert(
    fc.property(
      table,
      fc.tuple(count, count),
      fc.record({ cachedTokens: count, reasoningTokens: count, cacheWriteTokens: count, cacheWrite1hTokens: count }),
      (some, [input, output], parts) => {
        const cost = costOf(some, { inputTokens: input, outputTokens: output, ...parts })
        return cost <= mostOf(some, { input, output })
      },
    ),
  )
})

test('writes to a cache have a price of their own, else that of shorter writes, else that of input', () => {
  const own = { inputPerMillion: '1', outputPerMillion: '0', cachedInputPerMillion: '0' }
  const written = { cacheWriteTokens: 3, cacheWrite1hTokens: 1 }
  const usage = { inputTokens: 5, outputTokens: 0, cachedTokens: 1, reasoningTokens: 0, ...written }
  const cost = (more: object) =>
    costOfCall(pricesOfRoute(routeOf({ prices: { ...own, ...more } }), settings), 'USD', { usage, provider: 'demo/p' })
  assert.equal(cost({}), 4n)
  assert.equal(cost({ cacheWritePerMillion: '10' }), 31n)
  assert.equal(cost({ cacheWritePerMillion: '10', cacheWrite1hPerMillion: '100' }), 121n)
  const { cacheWrite: _, cacheWrite1h: __, ...before } = pricesOfRoute(routeOf({ prices: own }), settings)[0] ?? {}
  assert.equal(costOfCall([before as never], 'USD', { usage, provider: 'demo/p' }), 4n, 'a hold of before')
  const [claude] = pricesOfRoute(routeOf({ model: 'claude-opus-4-5' }), settings)
  assert.deepEqual([claude?.input, claude?.cacheWrite, claude?.cacheWrite1h], ['5000000', '6250000', '10000000'])
})

test('F5: counts of a provider are clamped', () => {
  const odd = [Number.NaN, -5, Infinity, 1e300, -Infinity]
  for (const tokens of odd) {
    const cost = costOf(prices, {
      inputTokens: tokens,
      outputTokens: tokens,
      cachedTokens: tokens,
      reasoningTokens: tokens,
      cacheWriteTokens: tokens,
      cacheWrite1hTokens: tokens,
    })
    assert.ok(cost >= 0n && cost <= MAX_MICROS, String(tokens))
  }
})

/** A call of the spender `team` through a route of `demo`, which others write. */
const routeOf = (spec: object, some: Partial<PricedCall> = {}): PricedCall => ({
  route: {
    namespace: 'demo',
    generation: 3,
    spec: { providerRef: { name: 'p' }, model: 'm', ...spec },
  },
  providers: new Map(),
  isOwn: (namespace) => namespace === 'team',
  ...some,
})

test('B4: a price is that of the settings, of the route, of the shipped table, or unknown', () => {
  const own = { inputPerMillion: '1', outputPerMillion: '2', reasoningPerMillion: '4' }
  const configured = { prices: [{ model: 'gpt-5', inputPerMillion: '7', outputPerMillion: '8' }], shippedPrices: true }
  const sourceOf = (spec: object, some: Parameters<typeof pricesOfRoute>[1] = settings) =>
    pricesOfRoute(routeOf(spec), some)[0]?.source
  assert.equal(sourceOf({ model: 'gpt-5', prices: own }, configured), 'settings')
  assert.equal(sourceOf({ model: 'gpt-5', prices: own }), 'route@3')
  assert.equal(sourceOf({ model: 'gpt-5' }, configured), 'settings')
  assert.match(sourceOf({ model: 'gpt-5' }) ?? '', /^shipped@\d{4}-\d\d-\d\d$/)
  assert.equal(sourceOf({ model: 'gpt-5' }, { prices: [], shippedPrices: false }), null)
  for (const model of ['m', '__proto__', 'constructor']) assert.equal(sourceOf({ model }), null)
})

test('B4: a route is reserved at its dearest provider, and is unpriced if one has no price', () => {
  const dear = { inputPerMillion: '10', outputPerMillion: '20' }
  const cheap = { inputPerMillion: '1', outputPerMillion: '2' }
  const bounds = { input: 1_000_000, output: 1_000_000 }
  const both = pricesOfRoute(
    routeOf({ prices: cheap, fallbacks: [{ providerRef: { name: 'q', namespace: 'x' }, model: 'n', prices: dear }] }),
    settings,
  )
  assert.deepEqual(mostOfRoute(both, 'USD', bounds), { amount: 30_000_000n, known: true })
  assert.equal(mostOfRoute(both, 'EUR', bounds).known, false)
  const usage = { inputTokens: 1_000_000, outputTokens: 0, cachedTokens: 0, reasoningTokens: 0 }
  const costs = ['demo/p', 'x/q', 'y/z', null].map((provider) => costOfCall(both, 'USD', { usage, provider }))
  assert.deepEqual(costs, [1_000_000n, 10_000_000n, 10_000_000n, 10_000_000n])
  const partly = pricesOfRoute(
    routeOf({ prices: cheap, fallbacks: [{ providerRef: { name: 'q' }, model: 'n' }] }),
    settings,
  )
  assert.equal(mostOfRoute(partly, 'USD', bounds).known, false)
  assert.equal(costOfCall(partly, 'USD', { usage, provider: 'demo/q' }), undefined, 'never 0')
})

test('B4: each target of a route has its price, and the dearest is reserved', () => {
  const priced = (inputPerMillion: string) => ({ inputPerMillion, outputPerMillion: '0' })
  const targets = [
    { providerRef: { name: 'p' }, model: 'm', weight: 9, prices: priced('1') },
    { providerRef: { name: 'p' }, model: 'large', weight: 1, prices: priced('5') },
  ]
  const fallbacks = [{ providerRef: { name: 'q', namespace: 'x' }, model: 'n', prices: priced('3') }]
  const { namespace, generation } = routeOf({}).route
  const call = { ...routeOf({}), route: { namespace, generation, spec: { targets, fallbacks } } }
  const all = pricesOfRoute(call, settings)
  assert.deepEqual(mostOfRoute(all, 'USD', { input: 1_000_000, output: 1 }), { amount: 5_000_000n, known: true })
  const usage = { inputTokens: 1_000_000, outputTokens: 0, cachedTokens: 0, reasoningTokens: 0 }
  const cost = (provider: string, model?: string) => costOfCall(all, 'USD', { usage, provider, model })
  assert.deepEqual(
    [cost('demo/p', 'm'), cost('demo/p', 'large'), cost('x/q', 'n')],
    [1_000_000n, 5_000_000n, 3_000_000n],
  )
  assert.equal(cost('demo/p'), 5_000_000n, 'an older launcher does not name the model')
})

test('B4: a call of the gateway is priced by the target that served it, or not at all', async () => {
  const cheap = { inputPerMillion: '1', outputPerMillion: '2' }
  const fallbacks = [
    { providerRef: { name: 'q', namespace: 'x' }, model: 'n', prices: { ...cheap, currency: 'EUR' } },
    { providerRef: { name: 'free' }, model: 'unpriced' },
  ]
  const { route } = routeOf({ prices: cheap, fallbacks })
  const usage = { inputTokens: 3, outputTokens: 2, cachedTokens: 0, reasoningTokens: 0 }
  const cost = (provider: string, model: string) =>
    createCallPricing(settings, () => []).costOf({
      route,
      spender: 'team',
      providerPrices: undefined,
      provider,
      model,
      usage,
    })
  assert.deepEqual(await cost('demo/p', 'm'), { amount: '0.000007', currency: 'USD', price: 'route@3' })
  assert.deepEqual(await cost('x/q', 'n'), { amount: '0.000007', currency: 'EUR', price: 'route@3' })
  assert.equal(await cost('demo/free', 'unpriced'), undefined)
  assert.equal(await cost('demo/p', 'other'), undefined)
})

test('R2-N4: what the spender could write only raises the price that others name, component by component', () => {
  const nothing = { inputPerMillion: '0', outputPerMillion: '0', cachedInputPerMillion: '0' }
  const provider = (listed: object) =>
    new Map([['shared/p', { generation: 2, prices: [{ model: 'm', ...listed }] as never }]])
  const priceOf = (namespace: string, spec: object, some: Partial<PricedCall> = {}, price = settings as never) => {
    const given = routeOf({ providerRef: { name: 'p', namespace: 'shared' }, ...spec }, some)
    const [found] = pricesOfRoute({ ...given, route: { ...given.route, namespace } }, price)
    return [found?.source ?? null, found?.input, found?.cached, found?.output, found?.ownOnly]
  }
  const shipped = priceOf('team', { model: 'gpt-5' })
  assert.deepEqual(priceOf('team', { model: 'gpt-5', prices: nothing }), shipped, 'a price of 0 lowers nothing')
  assert.deepEqual(
    priceOf('team', { model: 'gpt-5', prices: { ...nothing, outputPerMillion: '99' } }),
    [`${shipped[0]}+route@3`, shipped[1], shipped[2], '99000000', undefined],
    'each component is raised alone',
  )
  assert.equal(priceOf('demo', { model: 'gpt-5', prices: nothing })[1], '0', 'the route of another namespace sets it')
  assert.deepEqual(priceOf('team', { prices: nothing }), ['route@3', '0', '0', '0', true], 'nothing else names a price')
  const named = { providers: provider({ inputPerMillion: '3', outputPerMillion: '4' }) }
  assert.deepEqual(priceOf('team', { prices: nothing }, named), [
    'provider@2',
    '3000000',
    '3000000',
    '4000000',
    undefined,
  ])
  const configured = { prices: [{ model: 'm', inputPerMillion: '7', outputPerMillion: '8' }], shippedPrices: true }
  assert.deepEqual(
    priceOf('demo', { prices: { ...nothing, cachedInputPerMillion: '1' } }, named, configured as never),
    ['settings', '7000000', '1000000', '8000000', undefined],
    'a component that the setting leaves out is that of the route',
  )
  const euros = { ...nothing, inputPerMillion: '50', currency: 'EUR' }
  assert.deepEqual(priceOf('team', { model: 'gpt-5', prices: euros }), shipped, 'another currency raises nothing')
})

test('R2-N4: no price that the spender writes lowers a cost', () => {
  const amount = fc.constantFrom('0', '0.000001', '1', '999999')
  const list = fc.record(
    {
      inputPerMillion: amount,
      outputPerMillion: amount,
      cachedInputPerMillion: amount,
      cacheWritePerMillion: amount,
      cacheWrite1hPerMillion: amount,
      reasoningPerMillion: amount,
    },
    { requiredKeys: ['inputPerMillion', 'outputPerMillion'] },
  )
  const count = fc.nat(1_000_000)
  const used = fc.record({
    inputTokens: count,
    outputTokens: count,
    cachedTokens: count,
    reasoningTokens: count,
    cacheWriteTokens: count,
    cacheWrite1hTokens: count,
  })
  fc.assert(
    fc.property(list, list, used, (others, own, usage) => {
      const configured = { prices: [{ model: 'm', ...others }], shippedPrices: true }
      const cost = (spec: object) => {
        const given = routeOf(spec)
        const call = { ...given, route: { ...given.route, namespace: 'team' } }
        return costOfCall(pricesOfRoute(call, configured), 'USD', { usage, provider: 'team/p' }) ?? 0n
      }
      return cost({ prices: own }) >= cost({})
    }),
  )
})

test('R2-N4: namespaces that share a tenant are one spender', async () => {
  const limits = new Map([
    ['a', [{ subject: { kind: 'Tenant' as const, name: 't', uid: 't-1' } }]],
    ['b', [{ subject: { kind: 'Tenant' as const, name: 't', uid: 't-1' } }]],
    ['c', [{ subject: { kind: 'Tenant' as const, name: 'u', uid: 't-2' } }]],
  ])
  const source = { name: 'tenants', limitsOf: async (namespace: string) => limits.get(namespace) ?? [] }
  const isOwn = await ownNamespaces([source], 'a', ['a', 'b', 'c', 'shared'])
  assert.deepEqual(['a', 'b', 'c', 'shared'].map(isOwn), [true, true, false, false])
  const budget = (namespace: string) => ({
    subject: { kind: 'AgentDeployment' as const, namespace, name: 'r', uid: 'r' },
  })
  const [tenant] = limits.get('a') ?? []
  assert.ok(tenant)
  assert.deepEqual(
    [tenant, budget('a'), budget('c')].map((limit) => isFromAbove(limit, isOwn)),
    [true, false, true],
  )
})

test('R2-UX-10: the models of the demo have a price in the shipped table', () => {
  for (const model of ['mock', 'mock-scripted']) {
    const [found] = pricesOfRoute(routeOf({ model }), settings)
    assert.deepEqual([found?.input, found?.output], ['1000000', '2000000'])
  }
})
