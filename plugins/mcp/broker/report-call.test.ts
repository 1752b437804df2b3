import assert from 'node:assert/strict'
import test from 'node:test'
import type { KubeClient } from '#core/kube/client.ts'
import { errorFromResponse } from '#core/kube/status.ts'
import type { BoundTool } from './bound-tools.ts'
import { createReportCall } from './report-call.ts'

const silent = { debug: noop, info: noop, warn: noop, error: noop, child: () => silent }
function noop(): void {}

function bound(uid: string, failedCall?: object): BoundTool {
  const metadata = { uid, namespace: 'default', name: 'crm' }
  return { tool: { name: 't' }, server: { metadata, spec: {}, status: { failedCall } } } as unknown as BoundTool
}

test('F4: failed calls of a server cost a bounded number of writes, and the next call that succeeds removes them', async () => {
  let now = 0
  const reasons: unknown[] = []
  const patch = (async (_kind, _ref, { body }) => {
    const { status } = body as { status: { failedCall: { reason: string } | null } }
    reasons.push(status.failedCall?.reason ?? null)
    return {}
  }) as KubeClient['patch']
  const report = createReportCall({ cluster: { patch }, log: silent, now: () => new Date(0), clock: () => now })
  const after = async (ms: number, code: string | undefined, tool = bound('a')) => {
    now += ms
    await report(tool, code)
    return reasons.splice(0)
  }
  assert.deepEqual(await after(0, undefined), [])
  assert.deepEqual(await after(0, 'too_many_tool_calls'), [])
  assert.deepEqual(await after(0, 'tool_timeout'), ['Timeout'])
  assert.deepEqual(await after(500, 'tool_changed'), [], 'too soon')
  assert.deepEqual(await after(500, 'tool_timeout'), [], 'the same')
  assert.deepEqual(await after(0, 'tool_changed'), ['ManifestChanged'])
  assert.deepEqual(await after(1_000, undefined), [null])
  assert.deepEqual(await after(5_000, undefined), [])
  assert.deepEqual(await after(10_000, undefined, bound('a', { reason: 'Timeout' })), [null], 'of another process')
  assert.deepEqual(await after(10_000, 'tool_timeout'), ['Timeout'])
  assert.deepEqual(await after(10_000, 'tool_timeout'), ['Timeout'], 'with a new time')
  assert.deepEqual(await after(0, 'tool_unavailable', bound('b')), ['Unavailable'], 'another server')
})

test('F5: a server that is gone, and an API server that fails, do not fail the call', async () => {
  for (const error of [errorFromResponse(404, Buffer.from('{}')), new Error('down')]) {
    const patch: KubeClient['patch'] = () => Promise.reject(error)
    const report = createReportCall({ cluster: { patch }, log: silent, now: () => new Date(0) })
    await report(bound('a'), 'tool_timeout')
  }
})
