import { crud } from '#core/plugin/crud.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import { readOneAgent } from './authoring/read-agent-file.ts'
import { checkAgent } from './authoring/check-agent.ts'
import { agentRoute } from './routes/read.ts'

// The maximum number of fields of one agent.
const sample = {
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
    allowRoutes: ['small', 'shared/large'],
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
  recording: {},
  evalGate: { suiteRef: { name: 'smoke' }, minScore: 0.9 },
  rollout: { revisionHistoryLimit: 5 },
}

/** Agents; creating one has its own route, which also accepts the simplified format. */
export const agentKind = crud(AgentDeployment, {
  verbs: ['update', 'delete'],
  ...agentRoute,
  readYaml: readOneAgent,
  check: checkAgent,
  sample,
})
