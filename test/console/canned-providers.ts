import type { Provider } from '#schemas/api/providers.ts'
import type { KindObject } from '#ui/kinds/kind-object.ts'
import { cannedShell } from './fake-console.ts'
import type { CannedResponses } from './fake-console.ts'

/** Words that a person or a server may write, and that must stay text. */
export const hostileName = '<img src=x onerror=alert(1)> \u202e שירות \u0000'

const minutesAgo = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString()

/** A provider as the API shows it. */
export function cannedProvider(more: Partial<Provider>): Provider {
  return {
    namespace: 'demo',
    name: 'openai',
    type: 'openai',
    baseUrl: 'https://api.openai.com/v1',
    hasKey: true,
    keyVersion: 3,
    rotatedAt: minutesAgo(60 * 24 * 12),
    ready: true,
    reason: 'Ready',
    health: { state: 'healthy', lastSuccessAt: minutesAgo(1), lastErrorAt: null, lastErrorClass: null, p50Ms: 420 },
    routes: ['demo/default', 'support/triage'],
    createdAt: minutesAgo(60 * 24 * 90),
    ...more,
  }
}

const failed = { lastErrorAt: minutesAgo(2), lastErrorClass: 'key_refused', p50Ms: null }

/** Providers in every state. */
export const cannedProviders: readonly Provider[] = [
  cannedProvider({}),
  cannedProvider({
    name: 'anthropic',
    type: 'anthropic',
    health: { ...failed, state: 'degraded', lastSuccessAt: minutesAgo(3), p50Ms: 1_900 },
  }),
  cannedProvider({ name: 'vllm', routes: [], health: { ...failed, state: 'failing', lastSuccessAt: null } }),
  cannedProvider({ name: 'broken', ready: false, reason: 'SecretMissing', routes: null, rotatedAt: null }),
  cannedProvider({
    name: 'x'.repeat(63),
    type: 'mock',
    baseUrl: '',
    hasKey: false,
    keyVersion: null,
    rotatedAt: null,
    health: { state: 'unknown', lastSuccessAt: null, lastErrorAt: null, lastErrorClass: null, p50Ms: null },
  }),
]

const ready: NonNullable<KindObject['status']>['conditions'] = [
  { type: 'Ready', status: 'True', reason: 'Ready', message: 'It can be called.', lastTransitionTime: minutesAgo(9) },
]
const route = (name: string, spec: object, status: object = {}): KindObject => ({
  apiVersion: 'mesh.dev/v1alpha1',
  kind: 'ModelRoute',
  metadata: { name, namespace: 'demo', resourceVersion: '1', creationTimestamp: minutesAgo(600) },
  spec,
  status: { conditions: ready, ...status },
})

/** A route with one provider. */
export const plainRoute = route('default', { providerRef: { name: 'openai' }, model: 'gpt-5-mini', retries: 2 })

/** A route whose targets share its calls, with fallbacks. */
export const sharedRoute = route(
  'balanced',
  {
    targets: [
      { providerRef: { name: 'openai' }, model: 'gpt-5-mini', weight: 700 },
      { providerRef: { name: 'vllm', namespace: 'shared' }, model: hostileName, weight: 299 },
      { providerRef: { name: 'x'.repeat(253) }, model: 'y'.repeat(256), weight: 1 },
    ],
    fallbacks: [
      {
        providerRef: { name: 'anthropic' },
        model: 'claude-sonnet-5',
        prices: { inputPerMillion: '3', outputPerMillion: '15' },
      },
      { providerRef: { name: 'mock' }, model: 'mock' },
    ],
    circuitBreaker: { failures: 3 },
    retryOn: [429, '5xx'],
  },
  {
    targets: [
      { gateway: 'a', provider: 'demo/openai', model: 'gpt-5-mini', circuit: 'closed' },
      { gateway: 'a', provider: `shared/vllm`, model: hostileName, circuit: 'open', lastErrorClass: 'timeout' },
      { gateway: 'b', provider: `shared/vllm`, model: hostileName, circuit: 'closed' },
    ],
  },
)

const pages = [
  { id: 'providers', title: 'Providers', section: 'Connect', path: '/providers', capability: 'providers.connect' },
  { id: 'modelroutes', title: 'Model routes', section: 'Connect', path: '/modelroutes', capability: 'providers' },
]

/** The API of providers and routes. */
export const cannedConnect: CannedResponses = {
  ...cannedShell,
  '/api/capabilities': {
    profile: 'open',
    pages,
    capabilities: pages.map(({ capability }) => ({ id: capability, enabled: true })),
  },
  '/api/providers': { items: cannedProviders, nextCursor: null },
  '/api/providers/openai/models': {
    items: Array.from({ length: 150 }, (_, index) => ({
      id: index === 0 ? hostileName : `gpt-${index}`,
      ownedBy: 'acme',
      ...(index % 2 === 0 ? { contextWindow: 128_000 } : {}),
    })),
    fetchedAt: minutesAgo(0),
    cached: false,
  },
  '/api/modelroutes': { items: [plainRoute, sharedRoute], nextCursor: null },
  '/api/modelroutes/demo/default': plainRoute,
  '/api/modelroutes/demo/balanced': sharedRoute,
  '/api/usedby': {
    items: [
      { kind: 'AgentDeployment', namespace: 'demo', name: 'hello', field: 'spec.model.route', found: true },
      { kind: 'McpServer', namespace: 'demo', name: hostileName, field: 'spec.x', found: true },
    ],
  },
}
