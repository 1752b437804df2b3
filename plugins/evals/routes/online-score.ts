import { Fail } from '#core/errors/domain-error.ts'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { FEEDBACK_EVALUATOR, OnlineScore, OnlineScoreQuery } from '#schemas/api/online-scores.ts'
import type { OnlineScoreView } from '#schemas/api/online-scores.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import { formatMicros } from '#schemas/values/money.ts'
import type { EvalTables } from '../contract/tables.ts'
import type { EvalsServices } from '../contract/services.ts'
import { countOnlineRuns, findTargetSuite, readBins } from '../store/online-scores.ts'
import type { EvaluatorBin, OnlineCounts, OnlineWindow } from '../store/online-scores.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const WINDOW_MS = 7 * DAY_MS
/** Windows up to this length have buckets of an hour. */
const BY_HOUR_MS = 3 * DAY_MS
const MAX_WINDOW_MS = 400 * DAY_MS

/** `GET /api/agents/{ns}/{name}/online-score`. */
export function onlineScoreEndpoint(services: EvalsServices): AnyEndpoint {
  const { core, feedback, now } = services
  return endpoint({
    method: 'GET',
    url: '/agents/:ns/:name/online-score',
    id: 'getAgentOnlineScore',
    summary: 'Get the scores of the runs of an agent in production, by evaluator and over time.',
    authz: {
      kind: 'review',
      verb: 'get',
      resource: 'evalresults',
      namespace: { in: 'path', field: 'ns' },
      name: 'name',
    },
    query: OnlineScoreQuery,
    response: { 200: OnlineScore },
    handle: async ({ access: { namespace }, params: { name }, query, caller }) => {
      const agent = await core.observed.find(AgentDeployment.kind, namespace, name, 1_000)
      if (agent === undefined) throw new Fail('not_found')
      const window = { agentUid: agent.uid, ...toWindow(query, now()) }
      // Feedback has a right of its own: without it, its scores are left out.
      const may = feedback === undefined ? undefined : await caller.may('list', 'feedback', { namespace })
      const given = may && (await feedback?.meansOf(may, { agent: name, ...window }))
      return toView(services, window, given ?? [])
    },
  })
}

async function toView(
  { store }: EvalsServices,
  window: OnlineWindow,
  given: readonly Omit<EvaluatorBin, 'evaluator'>[],
): Promise<OnlineScoreView> {
  const db = store.reader<EvalTables>()
  const [bins, counts, suite] = await Promise.all([
    readBins(db, window),
    countOnlineRuns(db, window),
    findTargetSuite(db, window.agentUid),
  ])
  const byName = Map.groupBy(bins, ({ evaluator }) => evaluator)
  const items = [...byName].map(([evaluator, own]) => toItem(evaluator, own))
  const skips = counts.filter(({ state }) => state === 'skipped')
  return {
    items: [...items, ...(given.length === 0 ? [] : [toItem(FEEDBACK_EVALUATOR, given)])],
    from: window.from.toISOString(),
    to: window.to.toISOString(),
    sampled: sumOf(counts),
    skipped: sumOf(skips),
    skippedFor: toReasons(skips),
    cost: toCost(counts),
    suite,
  }
}

function toItem(evaluator: string, bins: readonly Omit<EvaluatorBin, 'evaluator'>[]): OnlineScoreView['items'][number] {
  const count = bins.reduce((sum, one) => sum + one.count, 0)
  const score = bins.reduce((sum, one) => sum + one.score * one.count, 0) / count
  const buckets = bins.map(({ at, score: mean, count: scores }) => ({
    at: at.toISOString(),
    score: within(mean),
    count: scores,
  }))
  return { evaluator, score: within(score), count, buckets }
}

// Sums of binary fractions may exceed 1 in their last digit.
function within(score: number): number {
  return Math.min(Math.max(score, 0), 1)
}

function sumOf(counts: readonly OnlineCounts[]): number {
  return counts.reduce((sum, { runs }) => sum + runs, 0)
}

function toReasons(skips: readonly OnlineCounts[]): OnlineScoreView['skippedFor'] {
  const byReason = Map.groupBy(skips, ({ reason }) => reason ?? 'EvaluatorFailed')
  const reasons = [...byReason].map(([reason, of]) => ({ reason, count: sumOf(of) }))
  return reasons.toSorted((a, b) => b.count - a.count) as OnlineScoreView['skippedFor']
}

function toCost(counts: readonly OnlineCounts[]): OnlineScoreView['cost'] {
  const priced = counts.filter(({ currency }) => currency !== null)
  const [currency = null, ...others] = new Set(priced.map((one) => one.currency))
  if (currency === null || others.length > 0) return null
  return { amount: formatMicros(priced.reduce((sum, { micros }) => sum + micros, 0n)), currency }
}

// The begin is moved back to the begin of a bucket, so that buckets of two requests are the same.
function toWindow(query: { readonly from?: string; readonly to?: string }, now: Date): Omit<OnlineWindow, 'agentUid'> {
  const to = query.to === undefined ? now : new Date(query.to)
  const asked = query.from === undefined ? new Date(to.getTime() - WINDOW_MS) : new Date(query.from)
  const span = to.getTime() - asked.getTime()
  if (!(span > 0 && span <= MAX_WINDOW_MS)) {
    const errors = [{ pointer: '?from', detail: 'must be before to, by at most 400 days' }]
    throw new Fail('invalid_query', undefined, { errors })
  }
  const widthMs = span <= BY_HOUR_MS ? HOUR_MS : DAY_MS
  const from = new Date(Math.floor(asked.getTime() / widthMs) * widthMs)
  return { from, to, width: widthMs / 1_000 }
}
