import { badPods, fullPod, misshapenPods } from '../agents/pod-samples.ts'

const model = { route: 'mock' }
const stolenKey = { name: 'K', valueFrom: { secretKeyRef: { name: 'other.keys.mesh.dev', key: 'agent.key' } } }

/**
 * Configs of the simplified format, and the expected messages of the format and the cluster. `spec` is the equivalent for the cluster if the format
 * refuses to expand the config.
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
    says: 'prompt and systemPrompt are mutually exclusive',
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
    says: 'replicas cannot be combined with minReplicas',
  },
  {
    config: { name: 'a', model, scaling: { minReplicas: 3, maxReplicas: 2 } },
    spec: { model, scaling: { minReplicas: 3, maxReplicas: 2 } },
    says: 'minReplicas must not exceed maxReplicas',
  },
  {
    config: { name: 'a', model, tools: ['clock'] },
    spec: { model, tools: [{ name: 'clock' }] },
    says: 'without bindingRef the name must be one of the built-in tools',
  },
  {
    config: { name: 'a', model, tools: [{ name: 'x', bindingRef: 'a', registryRef: 'b' }] },
    spec: { model, tools: [{ name: 'x', bindingRef: { name: 'a' }, registryRef: { name: 'b' } }] },
    says: 'bindingRef and registryRef are mutually exclusive',
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
    says: 'value and valueFrom are mutually exclusive',
  },
  {
    config: { name: 'a', model, runtime: { command: ['x'], env: [{ name: 'A', valueFrom: {} }] } },
    spec: { model, runtime: { command: ['x'], env: [{ name: 'A', valueFrom: {} }] } },
    says: 'exactly one source is required',
  },
]
