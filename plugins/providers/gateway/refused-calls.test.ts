import assert from 'node:assert/strict'
import test from 'node:test'
import { contribute } from '#core/jobs/extension-point.ts'
import { needs } from '#test/harness/find-server.ts'
import { callPricing } from '../contract/points.ts'
import { addRoute, refused, startGateway, startUpstream } from '../testing/gateway.ts'

const pricing = contribute(callPricing, {
  name: 'acme',
  costOf: async ({ usage }) => ({
    amount: String(usage.inputTokens + usage.outputTokens),
    currency: 'USD',
    price: 'acme',
  }),
})

test(
  'R2-M4: a call that its provider refused costs nothing, and one without a response in time has no known cost',
  needs('kube-apiserver', 'etcd', 'kubectl', 'postgres', 'initdb'),
  async (t) => {
    const gateway = await startGateway(t, [pricing])
    const { a } = gateway.namespaces
    const upstream = await startUpstream(t, (response, { model }) => {
      if (model === 'slow') return
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":{"message":"no"}}')
    })
    const ask = (model: string) =>
      refused(
        gateway.as('developer').chat.completions.create({ model, messages: [{ role: 'user', content: 'hello' }] }),
      )
    const provider = { type: 'openai', baseUrl: upstream.url }
    await addRoute(gateway.admin, a, 'refusing', { provider })
    await addRoute(gateway.admin, a, 'slow', { provider, route: { model: 'slow' } })
    assert.equal((await ask('refusing')).status, 502)
    const [row] = await gateway.metered((rows) => rows.some(({ data }) => data['status'] === 502))
    assert.deepEqual(
      [row?.data['cost'], row?.data['usageReported'], row?.data['inputTokens']],
      [{ amount: '0', currency: 'USD', price: 'acme' }, false, 0],
    )
    assert.equal((await ask('slow')).status, 504)
    const rows = await gateway.metered((all) => all.some(({ data }) => data['status'] === 504))
    assert.equal(rows.find(({ data }) => data['status'] === 504)?.data['cost'], null)
  },
)
