import { API_VERSION } from '../names/group.ts'

const object = (kind: string, spec: object, name = 'sample') => ({
  apiVersion: API_VERSION,
  kind,
  metadata: { name },
  spec,
})

const target = { providerRef: { name: 'p' }, model: 'm' }

const agent = (spec: object, name?: string) => object('AgentDeployment', { model: { route: 'mock' }, ...spec }, name)

/** Objects that every API server must refuse, and the expected message. */
export const badSamples: readonly { object: object; says: string }[] = [
  { object: agent({}, 'a'.repeat(53)), says: 'DNS label of at most 52 characters' },
  { object: agent({}, '1a'), says: 'DNS label of at most 52 characters' },
  { object: agent({ colour: 'red' }), says: 'unknown field "spec.colour"' },
  { object: agent({ model: {} }), says: 'spec.model.route' },
  { object: agent({ model: { route: 'a/b/c' } }), says: 'spec.model.route' },
  { object: agent({ limits: { timeout: 'soon' } }), says: 'spec.limits.timeout' },
  { object: agent({ limits: { timeout: '24d24d' } }), says: 'spec.limits.timeout' },
  { object: agent({ limits: { timeout: '999999999h' } }), says: 'spec.limits.timeout' },
  { object: agent({ memory: { session: { ttl: '3651d' } } }), says: 'must be a duration from 1s to 3650d' },
  { object: agent({ budget: { amount: '-1' } }), says: 'spec.budget.amount' },
  { object: agent({ tracePolicy: { sampleRate: 2 } }), says: 'spec.tracePolicy.sampleRate' },
  { object: agent({ resources: { limits: { cpu: 'much' } } }), says: 'spec.resources.limits' },
  { object: agent({ tools: [{ name: 'time' }, { name: 'time' }] }), says: 'Duplicate value' },
  {
    object: agent({ prompt: { name: 'p', version: 1, label: 'x' } }),
    says: 'version and label are mutually exclusive',
  },
  {
    object: object('ModelProvider', { type: 'mock', baseUrl: 'http://x/v1' }),
    says: 'a mock provider has neither baseUrl',
  },
  {
    object: object('ModelProvider', { type: 'openai', mock: { script: [] } }),
    says: 'only a mock provider has a script',
  },
  { object: object('ModelProvider', { type: 'openai', baseUrl: 'https://user@host/v1' }), says: 'spec.baseUrl' },
  { object: object('ModelProvider', { type: 'mock', mock: { script: [{}] } }), says: 'reply or toolCalls is required' },
  { object: object('ModelRoute', { model: 'm' }), says: 'spec.providerRef' },
  {
    object: object('ModelRoute', { providerRef: { name: 'p' }, model: 'm', allowedNamespaces: ['A'] }),
    says: 'spec.allowedNamespaces',
  },
  {
    object: object('ModelRoute', { providerRef: { name: 'p' }, model: 'm', targets: [target] }),
    says: 'targets stand in place of providerRef and model',
  },
  { object: object('ModelRoute', { targets: [{ ...target, weight: 0 }] }), says: 'spec.targets[0].weight' },
  { object: object('ModelRoute', { targets: [{ ...target, weight: 1001 }] }), says: 'spec.targets[0].weight' },
  { object: object('ModelRoute', { targets: [] }), says: 'spec.targets' },
  { object: object('ModelRoute', { targets: [target], model: 'm' }), says: 'spec.model' },
  {
    object: object('ModelRoute', { targets: [target], prices: { inputPerMillion: '1', outputPerMillion: '1' } }),
    says: 'spec.prices',
  },
  { object: object('ModelRoute', { targets: [target], retryOn: [200] }), says: 'spec.retryOn[0]' },
  { object: object('ModelRoute', { targets: [target], retryOn: ['4xx'] }), says: 'spec.retryOn[0]' },
  { object: object('ModelRoute', { targets: [target], circuitBreaker: { openFor: '0s' } }), says: 'openFor' },
  ...['authorization', 'cookie', 'host', 'connection', 'transfer-encoding', 'x-mesh-run-id', 'X-Tag', 'x-a:b'].map(
    (name) => ({
      object: object('ModelRoute', { targets: [target], passHeaders: [name] }),
      says: 'spec.passHeaders[0]',
    }),
  ),
  { object: object('AgentTemplate', { title: '', template: { spec: {} } }), says: 'spec.title' },
  { object: object('Tenant', {}), says: 'namespaces or namespaceSelector is required' },
]
