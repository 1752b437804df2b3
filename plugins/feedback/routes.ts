import type { Static } from 'typebox'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { rowCreate, rowList } from '#core/http/store/row-routes.ts'
import { FeedbackBody, Recorded, ScoreList, ScoreListQuery } from '#schemas/api/feedback.ts'
import type { Score } from '#schemas/api/feedback.ts'
import { recordScore, toReference } from './record-score.ts'
import type { FeedbackServices } from './services.ts'
import { listScores } from './store/scores.ts'
import type { FeedbackTables, SelectedScore } from './contract/tables.ts'

const examples = {
  thumb: { summary: 'A decision', value: { runId: '019a0000-0000-7000-8000-000000000000', value: true } },
  stars: {
    summary: 'A number with a comment',
    value: { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', name: 'stars', value: 4, comment: 'Short and right.' },
  },
}

const names = { resource: 'feedback', kind: 'Feedback' } as const

/** Routes of feedback, below `/api`. */
export function feedbackRoutes(services: FeedbackServices): readonly AnyEndpoint[] {
  const { store, runs } = services
  const list = rowList(names, {
    url: '/feedback',
    id: 'listFeedback',
    summary:
      'List scores of runs, newest first. Without a namespace, for the whole cluster; with scope=permitted, for the namespaces that the caller may see.',
    query: ScoreListQuery,
    page: ScoreList,
    select: ({ query: { runId, traceId, agent, name, since } }) => {
      const filter = { runId, traceId, agent, name, since: since === undefined ? undefined : new Date(since) }
      return (access, page) => listScores(store.reader<FeedbackTables>(), access, filter, page)
    },
    keyOf: ({ id }) => [id],
    show: toScore,
  })
  const submit = rowCreate(names, {
    url: '/feedback',
    id: 'submitFeedback',
    docs: { examples },
    summary: 'Submit a score of a run, or of the first run of a trace.',
    body: FeedbackBody,
    response: { 202: Recorded },
    review: async ({ caller, body }) => {
      const { namespace } = await runs.find(caller, toReference(body))
      return caller.review('create', 'feedback', { namespace })
    },
    handle: async ({ caller, body, idempotency }) => {
      const run = await runs.find(caller, toReference(body))
      const author = caller.username
      return { id: await recordScore(services, { run, request: body, source: 'person', author, idempotency }) }
    },
  })
  return [list, submit]
}

function toScore(row: SelectedScore): Static<typeof Score> {
  const { id, namespace, name, value, comment, source } = row
  return {
    id,
    namespace,
    runId: row.run_id,
    traceId: row.trace_id,
    agent: row.agent_name,
    name,
    value,
    comment,
    source,
    createdBy: row.created_by,
    createdAt: row.created_at.toISOString(),
  }
}
