import type { Static } from 'typebox'
import type { ApiInput } from '#cli/contract/command.ts'
import type { ResourceTable } from '#cli/contract/resource-table.ts'
import type { Score } from '#schemas/api/feedback.ts'

type ListedScore = Static<typeof Score>

interface FeedbackValues {
  readonly limit: number
  readonly run: string | undefined
  readonly agent: string | undefined
  readonly name: string | undefined
}

const table: ResourceTable<ListedScore> = {
  name: ({ id }) => `feedback/${id}`,
  columns: {
    NAMESPACE: ({ namespace }) => namespace,
    AGENT: ({ agent }) => agent,
    NAME: ({ name }) => name,
    VALUE: ({ value }) => value,
    BY: ({ createdBy }) => createdBy,
    AGE: ({ createdAt }) => new Date(createdAt),
    COMMENT: ({ comment }) => comment,
  },
  wide: { RUN: ({ runId }) => runId, SOURCE: ({ source }) => source },
}

/** Lists scores. */
export async function listFeedback({ api, scope, values, printer }: ApiInput<FeedbackValues>): Promise<number> {
  const { run: runId, agent, name, limit } = values
  await printer.list(table, await api.list<ListedScore>(['feedback'], { ...scope, runId, agent, name }, limit))
  return 0
}
