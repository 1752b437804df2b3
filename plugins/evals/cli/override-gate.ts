import type { Static } from 'typebox'
import type { ApiInput } from '#cli/contract/command.ts'
import type { ResourceTable } from '#cli/contract/resource-table.ts'
import type { GateOverride } from '#schemas/api/evaluations.ts'

type Override = Static<typeof GateOverride>

const table: ResourceTable<Override> = {
  name: ({ agent, revision }) => `override/${agent}/${revision}`,
  columns: {
    AGENT: ({ agent }) => agent,
    REVISION: ({ revision }) => revision,
    BY: ({ by }) => by,
    AGE: ({ at }) => new Date(at),
    REASON: ({ reason }) => reason,
  },
}

interface OverrideValues {
  readonly suite: string
  readonly agent: string
  readonly revision: number
  readonly reason: string
}

/** Overrides a gate. */
export async function overrideGate({ api, namespace, values, printer }: ApiInput<OverrideValues>): Promise<number> {
  const { suite, agent, revision, reason } = values
  const body = { agent, revision, reason }
  await printer.one(table, await api.post<Override>(['evalsuites', namespace, suite, 'override'], body))
  return 0
}
