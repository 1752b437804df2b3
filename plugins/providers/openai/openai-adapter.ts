import type { ModelAdapter, ProviderCall } from '../contract/adapter.ts'
import { readListedModels } from '../upstream/listed-models.ts'
import type { ProviderClient } from '../upstream/provider-client.ts'

/** Client for any endpoint with the OpenAI API. */
export function createOpenAiAdapter(client: ProviderClient): ModelAdapter {
  return {
    type: 'openai',
    send: (call, sink) => client.post(call, { path: call.operation, headers: headersOf(call), body: call.body }, sink),
    listModels: async (listing) => readListedModels(await listing.get('models', headersOf(listing))),
  }
}

// Azure documents a key as api-key; its bearers are tokens of Entra ID.
function headersOf({
  provider: { organization, azure },
  key,
}: Pick<ProviderCall, 'provider' | 'key'>): Record<string, string> {
  return {
    ...(key === undefined ? {} : azure === undefined ? { authorization: `Bearer ${key}` } : { 'api-key': key }),
    ...(organization === undefined ? {} : { 'openai-organization': organization }),
  }
}
