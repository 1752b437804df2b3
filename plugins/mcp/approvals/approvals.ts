import { StreamConflict } from '#core/event-store/streams.ts'
import type { Store } from '#core/event-store/store.ts'
import type { McpServerObject } from '#schemas/crds/mcp-server.ts'
import { approvalsBegan, manifestApproved } from '../contract/events.ts'
import type { McpTables } from '../contract/tables.ts'
import { readDecisions } from '../store/decision-rows.ts'
import { appendDecision } from './append-decision.ts'

/** Approved manifests, for the manager. */
export interface Approvals {
  /** Approved digests of a server, with the account that approved each. */
  approvedOf(server: McpServerObject): Promise<ReadonlyMap<string, string>>
}

/** Actor of approvals of manifests that were in use when approvals became required. */
export const SYSTEM_ACTOR = 'system'

const SYSTEM = { name: SYSTEM_ACTOR, kind: 'system' } as const
const BEGIN_STREAM = 'mcp/approvals'

/** Approvals of a manager without a store: nothing is approved. */
export const noApprovals: Approvals = { approvedOf: async () => new Map() }

/** Creates the approvals. The first use records when they began: a manifest that was in use by then is approved once, by the system. */
export function createApprovals(store: Store): Approvals {
  const db = store.reader<McpTables>()
  let began: Promise<Date> | undefined
  const readBegan = (): Promise<Date> => {
    began ??= begin(store).catch((error: unknown) => {
      began = undefined
      throw error
    })
    return began
  }
  return {
    approvedOf: async (server) => {
      const { uid = '' } = server.metadata
      const since = await readBegan()
      const decisions = (await readDecisions(db, [uid])).get(uid) ?? new Map<string, never>()
      const approved = new Map(
        [...decisions.values()].filter(({ state }) => state === 'approved').map(({ digest, actor }) => [digest, actor]),
      )
      const digest = server.status?.manifestDigest
      if (digest === undefined || decisions.has(digest) || !wasUsedBefore(server, since)) return approved
      await appendDecision(store, server, { type: manifestApproved, actor: SYSTEM, data: { digest } })
      return approved.set(digest, SYSTEM_ACTOR)
    },
  }
}

async function begin(store: Store): Promise<Date> {
  const [first] = await store.readStream(BEGIN_STREAM)
  if (first !== undefined) return first.time
  const subject = { namespace: undefined, kind: 'McpServer', name: 'approvals' }
  try {
    await store.transact((tx) =>
      tx.append(BEGIN_STREAM, 0, [{ type: approvalsBegan, subject, actor: SYSTEM, data: {} }]),
    )
  } catch (error) {
    if (!(error instanceof StreamConflict)) throw error
  }
  const [begun] = await store.readStream(BEGIN_STREAM)
  if (begun === undefined) throw new Error('the begin of approvals was not stored')
  return begun.time
}

// Only the manager writes the status, and from the begin on it accepts approved manifests only.
function wasUsedBefore({ metadata, status }: McpServerObject, since: Date): boolean {
  if (status?.approvedBy !== undefined) return false
  const accepted = status?.conditions?.find(({ type }) => type === 'ManifestAccepted')
  const isDrifted = accepted?.status === 'False'
  const from = isDrifted ? metadata.creationTimestamp : accepted?.lastTransitionTime
  return from !== undefined && Date.parse(from) < since.getTime()
}
