import type { Static } from 'typebox'
import type { ApiInput } from '#cli/contract/command.ts'
import { fieldOf } from '#cli/contract/field-of.ts'
import type { ResourceTable } from '#cli/contract/resource-table.ts'
import type { CostGroup, CostOfGroup } from '#schemas/api/cost.ts'

type ListedGroup = Static<typeof CostOfGroup> & CostGroup

const table: ResourceTable<ListedGroup> = {
  name: (group) => `cost/${groupOf(group)}`,
  columns: {
    GROUP: groupOf,
    CALLS: ({ calls }) => calls,
    TOKENS: ({ inputTokens, outputTokens }) => inputTokens + outputTokens,
    COST: ({ cost }) => cost?.map(({ amount, currency }) => `${amount} ${currency}`).join(', '),
    COMPLETE: ({ complete }) => complete,
  },
  wide: { UNPRICED: ({ unpricedCalls }) => unpricedCalls, CACHED: ({ cachedTokens }) => cachedTokens },
}

function groupOf(group: ListedGroup): string {
  // Every field that names a group is optional.
  fieldOf(group, 'calls')
  const { day, namespace, agent, subject, model, provider, tenant, label, other } = group
  const named = agent === undefined ? namespace : `${namespace ?? ''}/${agent?.name ?? ''}`
  const shown = [day, named, subject, model, provider, tenant, label].filter((one) => one !== undefined)
  return [...shown.map((one) => one ?? '-'), ...(other === true ? ['others'] : [])].join(' ')
}

interface BreakdownValues {
  readonly limit: number
  readonly by: string | undefined
  readonly top: string | undefined
  readonly from: string | undefined
  readonly to: string | undefined
}

/** Lists groups of cost. */
export async function listCost({ api, scope, values, printer }: ApiInput<BreakdownValues>): Promise<number> {
  const { limit, by: groupBy, top, from, to } = values
  const query = { ...scope, groupBy, top, from, to }
  await printer.list(table, await api.list<ListedGroup>(['cost', 'breakdown'], query, limit))
  return 0
}
