import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import test from 'node:test'
import { contribute } from '#core/jobs/extension-point.ts'
import { needs } from '#test/harness/find-server.ts'
import { startFilterGateway } from '../filters/testing/filter-gateway.ts'
import type { MeteredModelCall } from '../contract/events.ts'
import { callPricing } from '../contract/points.ts'
import { delta, doneFrame, hello } from '../testing/api-gateway.ts'

const pricing = contribute(callPricing, {
  name: 'acme',
  costOf: async ({ usage }) => ({ amount: String(usage.outputTokens), currency: 'USD', price: 'acme' }),
})

const between = (value = 0, least: number, most: number): boolean => value >= least && value <= most

test(
  'R2-N5: a stream that is left costs what was seen, also where no money is held; one without usage has no cost',
  needs('kube-apiserver', 'etcd', 'kubectl', 'postgres', 'initdb'),
  async (t) => {
    const gateway = await startFilterGateway(t, [], [pricing])
    const ask = async (path: string, body: object, readAll: boolean): Promise<void> => {
      const headers = {
        'content-type': 'application/json',
        authorization: `Bearer ${gateway.kube.tokens['developer']}`,
        'x-mesh-namespace': gateway.namespaces.a,
      }
      const sent = request(gateway.url + path, { method: 'POST', headers })
      sent.on('error', () => undefined)
      sent.end(JSON.stringify({ model: 'up', stream: true, ...body }))
      const [response] = (await once(sent, 'response')) as [NodeJS.ReadableStream]
      if (readAll) for await (const chunk of response) void chunk
      else await once(response, 'data')
      sent.destroy()
    }
    const text = 'one of many words '
    gateway.answer({ pieces: [delta({ content: text.repeat(20) })], hang: true })
    await ask('/v1/chat/completions', { messages: hello }, false)
    await ask('/v1/messages', { max_tokens: 500, messages: hello }, false)
    const left = await gateway.metered((rows) => rows.filter(({ data }) => data.status === 499).length === 2)
    for (const { data } of left) {
      const { usageReported, usageEstimated, inputTokens, outputTokens, cost } = data as Partial<MeteredModelCall>
      assert.deepEqual([usageReported, usageEstimated, cost?.amount], [false, true, String(outputTokens)])
      assert.ok(Number(inputTokens) > 0 && between(outputTokens, 100, 200), JSON.stringify(data))
    }
    gateway.answer({ pieces: [delta({ content: text }, 'stop'), doneFrame] })
    await ask('/v1/chat/completions', { messages: hello }, true)
    const rows = await gateway.metered((all) => all.some(({ data }) => data.status === 200))
    const { data } = rows.find((row) => row.data.status === 200) ?? assert.fail()
    assert.deepEqual(
      [data.usageReported, data.usageEstimated, data.outputTokens, data.cost],
      [false, undefined, 0, null],
    )
  },
)
