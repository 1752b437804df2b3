import { API_VERSION } from './group.ts'
import { badPods, fullPod, misshapenPods } from './pod-samples.ts'

// Data of the tests of the kinds; one list, so that every API server is held to the same objects.

const object = (kind: string, spec: object, name = 'sample') => ({
  apiVersion: API_VERSION,
  kind,
  metadata: { name },
  spec,
})

const agent = (spec: object, name?: string) => object('AgentDeployment', { model: { route: 'mock' }, ...spec }, name)

/** Objects that every API server must accept. */
export const goodSamples: Readonly<Record<string, object>> = {
  'declarative agent': agent({ systemPrompt: 'Hi.' }),
  'whole agent': agent({
    image: 'ghcr.io/acme/agent:1',
    executionModel: 'service',
    runtime: {
      command: ['node', 'agent.js'],
      args: ['-v'],
      port: 9000,
      env: [
        { name: 'A', value: 'b' },
        { name: 'KEY', valueFrom: { secretKeyRef: { name: 'keys', key: 'a' } } },
      ],
    },
    resources: { requests: { cpu: '100m', memory: '1Gi' }, limits: { cpu: 1 } },
    scaling: { minReplicas: 1, maxReplicas: 3, policyRef: { name: 'busy' } },
    model: {
      route: 'shared/gpt',
      fallbackRoutes: ['mock'],
      params: { temperature: 0, stop: ['x'], extra: { user: 'a' } },
    },
    prompt: { name: 'greet', version: 3 },
    tools: [
      { name: 'time' },
      { name: 'ask_human' },
      {
        name: 'weather',
        bindingRef: { name: 'weather', namespace: 'tools' },
        allow: ['forecast'],
        requireApproval: ['*'],
      },
    ],
    registries: [{ name: 'main' }],
    a2a: { expose: true },
    guardrails: [{ name: 'pii' }],
    knowledge: [{ name: 'docs' }],
    secrets: [{ name: 'crm' }],
    memory: { session: { ttl: '24h' }, longTerm: { embeddingRoute: 'embed', scope: 'user' } },
    budget: { amount: '5.00', currency: 'EUR', window: 'day', onExceed: 'pause' },
    limits: { timeout: '10m', maxSteps: 10, maxDelegationDepth: 0, concurrency: 4 },
    tracePolicy: { capture: 'full', redact: ['email'], sampleRate: 0.5 },
    evalGate: { suiteRef: { name: 'smoke' }, minScore: 0.9 },
    rollout: { revisionHistoryLimit: 5 },
  }),
  job: agent({ executionModel: 'job', systemPrompt: 'Go.' }),
  'provider with a key': object('ModelProvider', {
    type: 'openai',
    baseUrl: 'https://api.openai.com/v1',
    secretRef: { name: 'openai', key: 'apiKey' },
  }),
  'scripted mock': object('ModelProvider', {
    type: 'mock',
    mock: {
      script: [{ contains: 'time', toolCalls: [{ name: 'time', arguments: { zone: 'UTC' } }], reply: 'It is late.' }],
    },
  }),
  route: object('ModelRoute', {
    providerRef: { name: 'openai', namespace: 'shared' },
    model: 'gpt-5-mini',
    params: { maxTokens: 100 },
    fallbacks: [{ providerRef: { name: 'mock' }, model: 'mock' }],
    timeout: '30s',
    retries: 2,
    prices: { inputPerMillion: '0.25', outputPerMillion: '2' },
    allowedNamespaces: ['*'],
  }),
  template: object('AgentTemplate', {
    title: 'Greeter',
    tags: ['demo'],
    template: { metadata: { labels: { a: 'b' } }, spec: { model: { route: 'mock' }, anything: [1] } },
  }),
  tenant: object('Tenant', {
    namespaces: ['demo'],
    quota: { spend: { amount: '100' }, requestsPerMinute: 60, concurrency: 4 },
  }),
}

/** Objects that every API server must refuse, and what it must say. */
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
  { object: agent({ prompt: { name: 'p', version: 1, label: 'x' } }), says: 'version and label exclude each other' },
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
  { object: object('AgentTemplate', { title: '', template: { spec: {} } }), says: 'spec.title' },
  { object: object('Tenant', {}), says: 'namespaces or namespaceSelector is required' },
]

const model = { route: 'mock' }
const stolenKey = { name: 'K', valueFrom: { secretKeyRef: { name: 'other.keys.mesh.dev', key: 'agent.key' } } }

/**
 * Configs of the simplified format and what both the format and the cluster must say of them.
 * `spec` is the same thing for the cluster where the format refuses to expand it.
 */
export const configSamples: readonly { config: Record<string, unknown>; spec?: object; says?: string }[] = [
  { config: { name: 'a', model } },
  { config: { name: 'a', image: 'x' } },
  { config: { name: 'a', runtime: { command: ['x'], port: 9000 } } },
  { config: { name: 'a', model, scaling: { replicas: 0 } } },
  { config: { name: 'a', model, resources: { cpu: 1, memory: '1Gi' } } },
  { config: { name: 'a', model, budget: { amount: 0.000001 } } },
  { config: { name: 'a', model, executionModel: 'job', runtime: { command: ['work'] } } },
  ...['1ms', '90m', '24d', '24d0h', '23d23h59m', '36h90m1s', '2073600s'].map((timeout) => ({
    config: { name: 'a', model, limits: { timeout } },
  })),
  ...['0s', '0h0m', '24d1ms', '30d', '50d', '577h', '2073600001ms'].map((timeout) => ({
    config: { name: 'a', model, limits: { timeout } },
    spec: { model, limits: { timeout } },
    says: 'must be a duration from 1ms to 24d',
  })),
  { config: { name: 'a' }, spec: {}, says: 'needs model.route' },
  { config: { name: 'a', runtime: { port: 9000 } }, spec: { runtime: { port: 9000 } }, says: 'needs model.route' },
  {
    config: { name: 'a', model, systemPrompt: 'x', prompt: { name: 'p' } },
    spec: { model, systemPrompt: 'x', prompt: { name: 'p' } },
    says: 'prompt and systemPrompt exclude each other',
  },
  {
    config: { name: 'a', model, executionModel: 'job', image: 'x', scaling: { replicas: 1 } },
    spec: { model, executionModel: 'job', scaling: { replicas: 1 } },
    says: 'a job has no scaling',
  },
  ...['session', 'scheduled', 'event'].map((executionModel) => ({
    config: { name: 'a', model, executionModel },
    spec: { model, executionModel },
    says: 'job',
  })),
  { config: { name: 'a', image: 'x', pod: fullPod } },
  ...badPods.map(({ pod, says }) => ({ config: { name: 'a', image: 'x', pod }, spec: { image: 'x', pod }, says })),
  ...misshapenPods.map((pod) => ({ config: { name: 'a', image: 'x', pod }, spec: { image: 'x', pod } })),
  {
    config: { name: 'a', runtime: { command: ['x'], env: [stolenKey] } },
    spec: { runtime: { command: ['x'], env: [stolenKey] } },
    says: 'Secrets with the keys of agents',
  },
  {
    config: { name: 'a', model, runtime: { command: ['x'], port: 2998 } },
    spec: { model, runtime: { command: ['x'], port: 2998 } },
    says: 'this port is reserved for the launcher',
  },
  {
    config: { name: 'a', model, runtime: { args: ['x'] } },
    spec: { model, runtime: { args: ['x'] } },
    says: 'args need a command',
  },
  {
    config: { name: 'a', model, scaling: { replicas: 1, maxReplicas: 2 } },
    spec: { model, scaling: { replicas: 1, maxReplicas: 2 } },
    says: 'replicas excludes minReplicas',
  },
  {
    config: { name: 'a', model, scaling: { minReplicas: 3, maxReplicas: 2 } },
    spec: { model, scaling: { minReplicas: 3, maxReplicas: 2 } },
    says: 'minReplicas must not be above maxReplicas',
  },
  {
    config: { name: 'a', model, tools: ['clock'] },
    spec: { model, tools: [{ name: 'clock' }] },
    says: 'without bindingRef the name must be one of the own tools',
  },
  {
    config: {
      name: 'a',
      model,
      runtime: {
        command: ['x'],
        env: [{ name: 'A', value: 'x', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }],
      },
    },
    spec: {
      model,
      runtime: {
        command: ['x'],
        env: [{ name: 'A', value: 'x', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }],
      },
    },
    says: 'value and valueFrom exclude each other',
  },
  {
    config: { name: 'a', model, runtime: { command: ['x'], env: [{ name: 'A', valueFrom: {} }] } },
    spec: { model, runtime: { command: ['x'], env: [{ name: 'A', valueFrom: {} }] } },
    says: 'exactly one source is required',
  },
]
