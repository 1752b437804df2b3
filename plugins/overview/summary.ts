import { createHash } from 'node:crypto'
import type { AccessScope } from '#core/cluster/caller.ts'
import { readTroubled } from '#core/object-reads/troubled-objects.ts'
import type { Store } from '#core/event-store/store.ts'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint, Call } from '#core/http/endpoint/endpoint.ts'
import { serverReplyOf } from '#core/http/endpoint/reply.ts'
import { hasTag } from '#core/http/reply/etag.ts'
import { reviewScope } from '#core/http/review-scope.ts'
import { parseLabel } from '#core/kube/names.ts'
import type { CostApi } from '#plugins/cost/contract/api.ts'
import type { RunsApi } from '#plugins/runs/contract/api.ts'
import { nothing } from '#schemas/api/common.ts'
import { Summary, SummaryQuery, SUMMARY_TOP } from '#schemas/api/overview.ts'

/** Services of the plugin. A part of an absent plugin is null. */
export interface OverviewServices {
  readonly store: Store
  readonly now: () => Date
  readonly runs: RunsApi | undefined
  readonly cost: CostApi | undefined
}

type SummaryCall = Pick<
  Call<unknown, { readonly namespace?: string; readonly scope?: 'permitted' }, unknown>,
  'caller' | 'directory' | 'query'
>

const FAILING_MS = 86_400_000

/** `GET /api/summary`: each part with the caller's right to its list. */
export function summaryEndpoint(services: OverviewServices): AnyEndpoint {
  return endpoint({
    method: 'GET',
    url: '/summary',
    id: 'getSummary',
    summary: 'Get what waits for a person, what is unwell, and what the month costs, as far as the caller may list it.',
    docs: { reads: ['If-None-Match'], sends: ['ETag'] },
    authz: { kind: 'bearer' },
    query: SummaryQuery,
    response: { 200: Summary, 304: nothing },
    handle: async (call) => {
      const summary = await readSummary(services, call)
      const tag = `"${createHash('sha256').update(JSON.stringify(summary)).digest('base64url').slice(0, 22)}"`
      call.reply.header('etag', tag)
      if (serverReplyOf(call).request.method !== 'GET' || !hasTag(call.headers['if-none-match'], tag)) return summary
      call.reply.code(304)
      return undefined
    },
  })
}

async function readSummary({ store, now, runs, cost }: OverviewServices, call: SummaryCall): Promise<Summary> {
  const since = new Date(now().getTime() - FAILING_MS)
  const [ofRuns, ofServers, ofAgents, ofCosts] = await Promise.all([
    proofsOf(call, 'runs'),
    proofsOf(call, 'mcpservers'),
    proofsOf(call, 'agentdeployments'),
    proofsOf(call, 'costs'),
  ])
  const troubled = (access: AccessScope<'list'> | undefined, kind: string, conditions: readonly string[]) =>
    access && readTroubled(store, access, { kind, conditions, top: SUMMARY_TOP })
  const [paused, manifests, agents, failing, spend, forecast] = await Promise.all([
    ofRuns && runs?.pausedRuns(ofRuns, SUMMARY_TOP),
    troubled(ofServers, 'McpServer', ['ManifestAccepted']),
    troubled(ofAgents, 'AgentDeployment', ['Degraded', 'EvalGated', 'Ready']),
    ofRuns && runs?.failingAgents(ofRuns, since, SUMMARY_TOP),
    ofCosts && cost?.spendOfMonth(ofCosts),
    ofCosts && cost?.forecastOfMonth(ofCosts),
  ])
  return {
    waiting: {
      runs: paused ? { ...paused, items: paused.items.map(({ id: runId, ...run }) => ({ runId, ...run })) } : null,
      manifests: manifests ? { ...manifests, items: [...manifests.items] } : null,
    },
    unwell: {
      agents: agents ? { ...agents, items: [...agents.items] } : null,
      failing: failing
        ? { ...failing, items: failing.items.map(({ agent: name, ...one }) => ({ name, ...one })) }
        : null,
    },
    spend: spend ?? null,
    forecast: forecast ? { ...forecast, items: [...forecast.items] } : null,
  }
}

// What the caller may list: the cluster, or each namespace. Undefined if the caller may list nothing: the part is null then, not empty.
async function proofsOf<Resource extends string>(
  { caller, directory, query }: SummaryCall,
  resource: Resource,
): Promise<AccessScope<'list', Resource> | undefined> {
  const namespace = query.namespace ? parseLabel('?namespace', query.namespace) : ''
  const target = { namespace } as const
  if (namespace !== '') {
    const access = await caller.may('list', resource, target)
    return access && [access]
  }
  const review = { verb: 'list', resource, none: 'empty', target, scope: 'permitted' } as const
  const proofs = await reviewScope(directory, caller, review)
  return proofs.length === 0 ? undefined : proofs
}
