import type { KubeClient } from '#core/kube/client.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import { ModelProvider } from '#schemas/crds/model-provider.ts'
import type { ModelProviderSpec } from '#schemas/crds/model-provider.ts'
import { ModelRoute } from '#schemas/crds/model-route.ts'
import type { ModelRouteSpec } from '#schemas/crds/model-route.ts'
import { API_VERSION } from '#schemas/names/group.ts'
import type { MeasuredPlatform } from '../runs/forms.ts'

const namespace = parseLabel('namespace', 'default')

/** Creates a provider in the namespace `default`. */
export function createProvider(platform: MeasuredPlatform, name: string, spec: ModelProviderSpec): Promise<unknown> {
  return clientOf(platform).create(ModelProvider, toObject(ModelProvider.kind, name, spec))
}

/** Creates a route in the namespace `default`. */
export function createRoute(platform: MeasuredPlatform, name: string, spec: ModelRouteSpec): Promise<unknown> {
  return clientOf(platform).create(ModelRoute, toObject(ModelRoute.kind, name, spec))
}

function toObject(kind: string, name: string, spec: object) {
  return { apiVersion: API_VERSION, kind, metadata: { name: parseName('name', name), namespace }, spec }
}

function clientOf({ admin }: MeasuredPlatform): KubeClient {
  if (admin === undefined) throw new Error('the platform has no API server')
  return admin
}

/** A chat completion of a route, as a request of undici. */
export function chatRequest(bearer: string, model: string) {
  return {
    method: 'POST',
    path: '/v1/chat/completions',
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hi' }] }),
  } as const
}
