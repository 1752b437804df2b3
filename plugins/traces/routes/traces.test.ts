import assert from 'node:assert/strict'
import test from 'node:test'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { buildServer } from '#core/http/testing/build-server.ts'
import { findForCaller } from '#plugins/runs/read/find-run.ts'
import type { RunsTables } from '#plugins/runs/contract/tables.ts'
import type { TraceSpanNode } from '#schemas/api/traces.ts'
import type { TracesServices } from '../services/create-services.ts'
import { exportOf, openSpans, spanId, spanOf } from '../testing/spans.ts'
import { detailPart, summaryPart } from './traces.ts'

const linked = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) }

for (const { name, skip, open } of pluginAdapters) {
  test(`${name}: a span is served with its events, links and message, at any depth`, { skip }, async (t) => {
    const { run, send, store } = await openSpans(t, open)
    const { id, trace_id: traceId } = await run()
    const timeUnixNano = String(BigInt(Date.parse('2026-11-29T08:00:00Z')) * 1_000_000n)
    const attributes = [{ key: 'exception.type', value: { stringValue: 'TimeoutError' } }]
    const child = spanOf(traceId, spanId(1), {
      parentSpanId: spanId(0),
      status: { code: 2, message: 'timed out' },
      events: [{ name: 'exception', timeUnixNano, attributes }],
      links: [linked],
    })
    assert.deepEqual(await send(exportOf(spanOf(traceId, spanId(0)), child)), { accepted: 2, rejected: 0 })
    const services = {
      core: { store },
      settings: { adapter: 'builtin', link: 'https://traces.example/trace/{traceId}' },
      runs: {
        find: (caller: Parameters<typeof findForCaller>[1], reference: { readonly runId: string }) =>
          findForCaller(store.reader<RunsTables>(), caller, reference),
        costsOf: async () => null,
      },
    } as unknown as TracesServices
    const { app } = await buildServer(t, [{ endpoints: [summaryPart(services), detailPart(services)] }])
    const get = async <Body>(path: string): Promise<Body> => {
      const response = await app.inject({ url: `/api${path}`, headers: { authorization: 'Bearer good-token' } })
      assert.equal(response.statusCode, 200, response.body)
      return response.json<Body>()
    }
    const { roots } = await get<{ roots: readonly TraceSpanNode[] }>(`/traces/${id}/detail`)
    const [{ status, statusMessage, events, links } = assert.fail('no child')] = roots[0]?.children ?? []
    assert.deepEqual([status, statusMessage], ['error', 'timed out'])
    assert.deepEqual(events, [
      { name: 'exception', at: '2026-11-29T08:00:00.000Z', attributes: { 'exception.type': 'TimeoutError' } },
    ])
    assert.deepEqual(links, [linked])
    const summary = await get<{ link: string; run: object }>(`/traces/${id}`)
    assert.equal(summary.link, `https://traces.example/trace/${traceId}`)
    assert.deepEqual(summary.run, { id, namespace: 'default', agent: 'robot' })
  })
}
