import { Type, contribute, definePlugin, endpoint, need, point } from '@mesh.dev/mesh/plugin'
import type { AgentDocument, AgentDocumentOwner, AgentGate, AgentReplicas, AgentsApi } from '@mesh.dev/mesh/plugin'

type Authored = Parameters<AgentsApi['create']>[2]

const HOLD = 'trials.acme.example/hold'
const REPLICAS = 'trials.acme.example/replicas'

const stored: AgentDocument[] = []

const gate: AgentGate = async ({ agent }) => {
  const verdict = agent.metadata.labels?.[HOLD]
  if (verdict === undefined) return undefined
  if (verdict === 'failed') return { condition: 'Tried', reason: 'TrialFailed', message: 'The revision has failed.' }
  return { condition: 'Tried', reason: 'OnTrial', message: 'The revision is on trial.', candidate: true }
}

const replicas: AgentReplicas = async ({ metadata }) => {
  const wanted = metadata.labels?.[REPLICAS]
  return wanted === undefined ? undefined : { replicas: Number(wanted), max: 3, reason: 'Labelled' }
}

const prompts: AgentDocumentOwner = {
  kind: 'PromptVersion',
  create: async (caller, document, { dryRun }) => {
    await caller.review('create', 'prompts', { namespace: document.namespace, group: 'acme.example' })
    if (!dryRun) stored.push(document)
  },
}

/** A third party's trials: a gate that tries revisions, a number of replicas, prompts, and agents that it creates and generates. */
// oxlint-disable-next-line import/no-default-export -- what the platform calls
export default definePlugin({
  contract: 1,
  name: 'trials',
  settings: Type.Object({}),
  requires: ['store'],
  needs: { agents: need('agents'), runs: need('runs') },
  access: [{ group: 'acme.example', resource: 'prompts', kind: 'Prompt', developer: ['create'] }],
  create: ({ store }, _settings, { agents, runs }) => ({ store, agents, runs }),
  contributions: () => [
    contribute(point('agents.gate'), gate),
    contribute(point('agents.replicas'), replicas),
    contribute(point('agents.document'), prompts),
  ],
  routes: ({ store, agents, runs }) => [
    endpoint({
      method: 'POST',
      url: '/runs',
      id: 'startTrial',
      summary: 'Start a run on one revision of an agent.',
      authz: { kind: 'bearer' },
      body: Type.Object({ namespace: Type.String(), name: Type.String(), revision: Type.Integer() }),
      response: { 201: Type.Object({ runId: Type.String() }) },
      handle: async ({ caller, body: { namespace, name, revision } }) => {
        const where = { namespace: namespace as never, name }
        const access = await caller.review('create', 'agentdeployments/invoke', where)
        const request = { agent: { namespace, name }, input: 'Hi', trigger: 'eval', revision } as const
        const prepared = await runs.prepare(caller, access, request)
        const { runId } = await store.transact((tx) => runs.queueIn(tx, prepared))
        return { runId }
      },
    }),
    endpoint({
      method: 'POST',
      url: '/agents',
      id: 'createTrial',
      summary: 'Create an agent.',
      authz: { kind: 'bearer' },
      body: Type.Object({ agent: Type.Unsafe<Authored>({ type: 'object' }), proofFor: Type.String() }),
      response: { 201: Type.Object({ uid: Type.String() }) },
      handle: async ({ caller, body: { agent, proofFor }, signal }) => {
        const access = await caller.review('create', 'agentdeployments', { namespace: proofFor as never })
        const { metadata } = await agents.create(caller, access, agent, { signal })
        return { uid: metadata.uid ?? '' }
      },
    }),
    endpoint({
      method: 'POST',
      url: '/configs',
      id: 'generateTrial',
      summary: 'Generate a config.',
      authz: { kind: 'bearer' },
      body: Type.Object({ prompt: Type.String(), namespace: Type.String() }),
      response: { 201: Type.Object({ config: Type.Unsafe<object>({ type: 'object' }) }) },
      handle: async ({ caller, body, signal }) => {
        const { config } = await agents.generate(caller, { ...body, signal })
        return { config }
      },
    }),
    endpoint({
      method: 'GET',
      url: '/prompts',
      id: 'listPrompts',
      summary: 'List the stored prompts.',
      authz: { kind: 'bearer' },
      response: { 200: Type.Object({ items: Type.Array(Type.Unsafe<AgentDocument>({ type: 'object' })) }) },
      handle: async () => ({ items: stored }),
    }),
  ],
})
