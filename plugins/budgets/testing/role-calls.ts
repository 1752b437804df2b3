import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { TestContext } from 'node:test'
import { Value } from 'typebox/value'
import { clusterMigrations } from '#core/cluster/object-index-tables.ts'
import { openDatabase } from '#core/database/database.ts'
import { createMigrated } from '#core/database/testing/databases.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { contribute } from '#core/jobs/extension-point.ts'
import { createRoleEmbeddings } from '#core/retrieval/embeddings.ts'
import { EmbeddingsUnavailable } from '#core/retrieval/embeddings-error.ts'
import type { Payer } from '#core/retrieval/payer.ts'
import { embeddingOf } from '#core/retrieval/testing/embedding-server.ts'
import type { OwnerOfRun } from '#plugins/providers/contract/agent-model.ts'
import { errors } from '#plugins/providers/filters/testing/filter-gateway.ts'
import { agentRuns, callPayment, callPricing, modelFilter } from '#plugins/providers/contract/points.ts'
import type { ModelFilter, ModelRequest, TextFilter } from '#plugins/providers/contract/points.ts'
import { addRoute, startGateway, startUpstream } from '#plugins/providers/testing/gateway.ts'
import { apply } from '#plugins/providers/testing/manager.ts'
import { memoryKeyring } from '#core/signing/testing/key-types.ts'
import { createRunsSystem } from '#plugins/runs/create-api.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import { applyShipped } from '#test/harness/deploy.ts'
import { createCallPricing } from '../money/call-pricing.ts'
import { createCallPayment } from '../payment/call-payment.ts'
import type { CallLimit } from '../contract/points.ts'
import { budgetsSettings } from '../contract/settings.ts'
import { openLedger } from './ledger.ts'
import { addRun, runsMigrations } from './run-rows.ts'
import type { RunToAdd } from './run-rows.ts'
import { tokenOf } from '#test/harness/service-accounts.ts'

/** Tokens of every response of the provider. A token costs one micro-unit. */
export const USED = 7

/** Responds like a provider that reports its usage. */
export function answerUsed(response: ServerResponse, usage: object | null = { prompt_tokens: USED }): void {
  const data = [{ object: 'embedding', index: 0, embedding: embeddingOf('a') }]
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ object: 'list', data, model: 'test', ...(usage === null ? {} : { usage }) }))
}

// Refuses requests and responses of a caller with the header `x-test-stop`.
const stopping: ModelFilter = {
  name: 'acme.stop',
  open: ({ header }) => {
    if (header('x-test-stop') === undefined) return undefined
    const refusal = (text: string) => (text.includes('stop') ? { refuse: errors.acme_secret } : undefined)
    const check: TextFilter['check'] = ({ text }) => refusal(text)
    const texts = (request: ModelRequest) => request.texts().map(({ text }) => text)
    return { request: (request) => refusal(texts(request).join(' ')), text: { lookBack: 4, check } }
  },
}

// Raises the output limit of a caller with the header `x-test-raise`.
const raising: ModelFilter = {
  name: 'acme.raise',
  open: ({ header }) => {
    if (header('x-test-raise') === undefined) return undefined
    return { request: ({ body }) => ({ change: { ...body, max_tokens: 1_000_000 } }) }
  },
}

/** The gateway with a ledger, the accounts of state role and worker, and a priced route to a provider of the test. */
export async function startPaidGateway(t: TestContext) {
  const { ledger, accounts, database, store } = await openLedger(t, async (_, sources = []) => {
    const more = [{ name: 'cluster', migrations: clusterMigrations }, runsMigrations, ...sources]
    const opened = await openDatabase({ url: await createMigrated(t, more) })
    t.after(() => opened.close())
    return opened
  })
  const quotas = new Map<string, readonly CallLimit[]>()
  const owners = new Map<string, OwnerOfRun>()
  const system = createRunsSystem({ store, core: { keys: memoryKeyring(), now: () => new Date() } })
  const state = { down: false, answer: (response: ServerResponse): void => answerUsed(response) }
  // The operator sets the price: a price in the spender's namespace could not be counted against a quota.
  const settings = {
    ...Value.Create(budgetsSettings),
    prices: [{ model: 'test-1', inputPerMillion: '1', outputPerMillion: '1' }],
  }
  const sources = () => [{ name: 'test', limitsOf: async (namespace: string) => quotas.get(namespace) ?? [] }]
  const payment = createCallPayment({
    ledger: {
      reserve: (hold) => (state.down ? Promise.reject(new Fail('store_unavailable')) : ledger.reserve(hold)),
      end: ledger.end,
      renew: ledger.renew,
      claim: (claim) => (state.down ? Promise.reject(new Fail('store_unavailable')) : ledger.claim(claim)),
    },
    settings,
    decided: () => undefined,
    sources,
  })
  const ofRuns = {
    invokeForGateway: () => Promise.reject(new Error('not asked')),
    agentOf: async (runId: string) => owners.get(runId),
    agentsAbove: system.agentsAbove,
  }
  const gateway = await startGateway(t, [
    contribute(callPayment, payment),
    contribute(callPricing, createCallPricing(settings, sources)),
    contribute(agentRuns, ofRuns),
    contribute(modelFilter, stopping),
    contribute(modelFilter, raising),
  ])
  const { admin, kube, namespaces } = gateway
  await applyShipped(kube, 'namespace', 'service-accounts', 'state', 'worker')
  const upstream = await startUpstream(t, (response) => state.answer(response))
  const provider = { type: 'openai', baseUrl: upstream.url }
  const prices = { inputPerMillion: '1', outputPerMillion: '1' }
  await addRoute(admin, namespaces.a, 'paid', { provider, route: { prices } })
  await addRoute(admin, namespaces.a, 'unpriced', { provider, route: { model: 'unpriced' } })
  await addRoute(admin, namespaces.a, 'own-price', { provider, route: { model: 'own', prices } })
  const tokens = {
    state: await tokenOf(admin, 'mesh-system', 'mesh-state'),
    worker: await tokenOf(admin, 'mesh-system', 'mesh-worker'),
  }
  const embeddings = createRoleEmbeddings({ gatewayUrl: () => gateway.url, bearer: async () => tokens.state })
  /** Embeds one text; resolves with `ok`, or with the reason for a failure. */
  const embed = async (payer: Payer, { runId, route = 'paid' }: { runId?: string; route?: string } = {}) => {
    try {
      await embeddings.paidBy(payer, runId).embed({ route: `${namespaces.a}/${route}`, texts: ['a text'] })
      return 'ok'
    } catch (error) {
      if (error instanceof EmbeddingsUnavailable) return error.reason
      throw error
    }
  }
  const addPayingAgent = async (name: string, budget?: object) => {
    const metadata = { name, namespace: namespaces.a }
    const spec = { model: { route: 'paid' }, ...(budget === undefined ? {} : { budget }) }
    await apply(admin, { apiVersion: 'v1', kind: 'ServiceAccount', metadata })
    await apply(admin, { apiVersion: 'mesh.dev/v1alpha1', kind: 'AgentDeployment', metadata, spec })
    const made = await admin.get(AgentDeployment, metadata as never)
    return { kind: 'agent', namespace: namespaces.a, name, uid: made.metadata.uid ?? '' } as const
  }
  /** Adds a run; the gateway knows its agent. */
  const startRun = async (run: Omit<RunToAdd, 'id'>): Promise<string> => {
    const id = randomUUID()
    await addRun(database, { ...run, id })
    owners.set(id, { ...run.agent, traceId: 'a'.repeat(32), rootRunId: run.root ?? id })
    return id
  }
  return { ...gateway, database, ledger, accounts, quotas, startRun, state, upstream, tokens, embed, addPayingAgent }
}
