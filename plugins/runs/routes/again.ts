import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { parseRef } from '#core/kube/names.ts'
import { RunCompareQuery, RunComparison } from '#schemas/api/run-compare.ts'
import { RetryBody, RunParams } from '#schemas/api/run-requests.ts'
import { Run } from '#schemas/api/runs.ts'
import { runErrors } from '../contract/errors.ts'
import { compareTrees } from '../read/compare-trees.ts'
import type { CallerRunsServices } from '../services/create-services.ts'
import { readRunContent } from '../store/reads.ts'
import type { RunsTables, SelectedRun } from '../contract/tables.ts'

/** Label of a run that repeats another one: the id of that run. */
export const RETRY_LABEL = 'mesh.dev/retry-of'
const MAX_LABELS = 32

/** Routes that look at a run again: compare it with another one, or repeat it. */
export function againEndpoints(services: Pick<CallerRunsServices, 'runs' | 'store'>): readonly AnyEndpoint[] {
  return [compareEndpoint(services), retryEndpoint(services)]
}

function compareEndpoint({ runs }: Pick<CallerRunsServices, 'runs'>): AnyEndpoint {
  return endpoint({
    method: 'GET',
    url: '/runs/compare',
    id: 'compareRuns',
    summary: 'Compare two runs: their steps side by side, and the first difference.',
    // Each run is reviewed in its namespace; one that the caller may not get is unknown.
    authz: { kind: 'row', verb: 'get', resource: 'runs' },
    query: RunCompareQuery,
    response: { 200: RunComparison },
    handle: async ({ caller, query }) => {
      const [a, b] = [await runs.get(caller, query.a), await runs.get(caller, query.b)]
      const [left, right] = await Promise.all([runs.tree(caller, a.id, 0), runs.tree(caller, b.id, 0)])
      const compared = compareTrees(left.root, right.root)
      return { a, b, ...compared, truncated: compared.truncated || left.truncated || right.truncated }
    },
  })
}

function retryEndpoint({ runs, store }: Pick<CallerRunsServices, 'runs' | 'store'>): AnyEndpoint {
  return endpoint({
    method: 'POST',
    url: '/runs/:id/retry',
    id: 'retryRun',
    docs: {
      examples: {
        same: { summary: 'With the same input', value: {} },
        edited: { summary: 'With another input', value: { input: 'Hello.' } },
      },
    },
    summary: 'Retry a run: create a new one of its agent with the same input or an edited one; it is queued.',
    authz: { kind: 'row', verb: 'create', resource: 'agentdeployments/invoke' },
    audit: { action: 'create', resourceKind: 'Run' },
    idempotent: true,
    params: RunParams,
    body: RetryBody,
    response: { 201: Run },
    review: async ({ caller, params }) => {
      const { run } = await runs.open(caller, params.id)
      const agent = agentOf(run)
      return caller.review('create', 'agentdeployments/invoke', agent)
    },
    handle: async (call) => {
      const { caller, access, params, body, traceparent, idempotency } = call
      const { run } = await runs.open(caller, params.id)
      const content = await readRunContent(store.reader<RunsTables>(), run)
      if (content === undefined && !('input' in body)) throw new Fail(runErrors.run_content_erased)
      const made = await runs.create(caller, access, {
        agent: agentOf(run),
        input: 'input' in body ? body.input : content?.input,
        conversationId: body.conversationId,
        labels: labelsOf(run, body.labels),
        traceparent,
        trigger: 'retry',
        idempotency,
      })
      call.reply.code(201).header('location', `/api/runs/${made.id}`)
      return made
    },
  })
}

function agentOf({ namespace, agent_name: name }: SelectedRun) {
  if (name === null) throw new Fail(runErrors.run_not_of_agent)
  return parseRef({ namespace, name })
}

// A run with the most labels has no room for one more.
function labelsOf(run: SelectedRun, given = run.labels): Readonly<Record<string, string>> {
  const { [RETRY_LABEL]: _, ...labels } = given
  return Object.keys(labels).length < MAX_LABELS ? { ...labels, [RETRY_LABEL]: run.id } : labels
}
