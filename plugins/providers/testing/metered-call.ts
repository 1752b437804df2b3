import type { MeteredCall } from '../metering/metering.ts'

/** A metered call; `n` is its number of input tokens. */
export function meteredCall(n: number, model = 'test-1'): MeteredCall {
  return {
    actor: { name: 'developer', kind: 'user' },
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    data: {
      operation: 'chat/completions',
      route: { namespace: 'default', name: 'fast', uid: 'uid-1' },
      provider: 'default/up',
      model,
      agentUid: null,
      runId: null,
      status: 200,
      streamed: false,
      usageReported: true,
      inputTokens: n,
      outputTokens: 0,
      cachedTokens: 0,
      reasoningTokens: 0,
      durationMs: 1,
      firstByteMs: 1,
    },
  }
}
