import type { ModelAdapter, ProviderCall } from '../contract/adapter.ts'
import type { ProviderClient } from '../upstream/provider-client.ts'

/** Client for any endpoint with the OpenAI API. */
export function createOpenAiAdapter(client: ProviderClient): ModelAdapter {
  return {
    type: 'openai',
    send: (call, sink) => client.post(call, { path: call.operation, headers: headersOf(call), body: call.body }, sink),
  }
}

function headersOf({ provider: { organization }, key }: ProviderCall): Record<string, string> {
  return {
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...(organization === undefined ? {} : { 'openai-organization': organization }),
  }
}
