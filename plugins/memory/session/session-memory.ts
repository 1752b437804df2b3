import { Fail } from '#core/errors/domain-error.ts'
import type { BoundedLists, ExceededBound, GroupUsage, ListLimits, ListUsage } from '#core/state-store/state-store.ts'
import { stateStoreUnavailable } from '#core/state-store/state-store.ts'
import { durationToMs } from '#schemas/duration.ts'
import type { AgentDeploymentSpec } from '#schemas/crds/agent-deployment.ts'
import { memoryErrors } from '../errors.ts'
import type { MemorySettings } from '../settings.ts'

/** An agent, by which session memory is kept: a re-created agent of the same name has another uid. */
export interface SessionOwner {
  readonly uid: string
  readonly session: NonNullable<NonNullable<AgentDeploymentSpec['memory']>['session']>
}

/** Conversations of agents. Every call rejects with `state_store_unavailable` while the store does not respond. */
export interface SessionMemory {
  /** Appends an entry, which is canonical JSON. Refreshes the expiry of the conversation. Returns its number of entries. */
  append(owner: SessionOwner, conversationId: string, entry: string): Promise<number>
  /** The entries of a conversation in order; empty for an unknown conversation. */
  read(uid: string, conversationId: string): Promise<readonly string[]>
  /** Conversations of an agent, newest first. */
  newest(uid: string, limit: number): Promise<readonly ListUsage[]>
  usage(uid: string): Promise<GroupUsage>
}

const DEFAULT_TTL = '24h'

/** Creates session memory on the state store; undefined: a state role without one. */
export function createSessionMemory(lists: BoundedLists | undefined, settings: MemorySettings): SessionMemory {
  const store = (): BoundedLists => {
    if (lists !== undefined) return lists
    throw new Fail('not_wired', 'Session memory needs REDIS_URL in the state role.')
  }
  return {
    append: async ({ uid, session }, conversationId, entry) => {
      const appended = await store().append(listOf(uid, conversationId), entry, limitsOf(session, settings))
      if ('exceeded' in appended) throw refusalOf(appended.exceeded, settings)
      return appended.length
    },
    read: async (uid, conversationId) => store().read(listOf(uid, conversationId)),
    newest: async (uid, limit) => store().newest(groupOf(uid), limit),
    usage: async (uid) => store().usage(groupOf(uid)),
  }
}

/** Text of a list of entries. */
export function joinEntries(entries: readonly string[]): string {
  return `[${entries.join(',')}]`
}

function groupOf(uid: string): string {
  return `memory/${uid}`
}

function listOf(uid: string, list: string) {
  return { group: groupOf(uid), list }
}

function limitsOf({ ttl = DEFAULT_TTL, maxEntries }: SessionOwner['session'], settings: MemorySettings): ListLimits {
  return {
    ttlMs: durationToMs(ttl) ?? 0,
    maxListBytes: settings.conversationBytes,
    maxListEntries: Math.min(maxEntries ?? settings.conversationEntries, settings.conversationEntries),
    maxGroupBytes: settings.agentSessionBytes,
    maxGroupLists: settings.agentConversations,
  }
}

function refusalOf(exceeded: ExceededBound, settings: MemorySettings): Fail {
  if (exceeded === 'store') return stateStoreUnavailable('The state store is full.')
  if (exceeded === 'list-bytes')
    return new Fail(
      memoryErrors.conversation_full,
      `The conversation would exceed its ${settings.conversationBytes} bytes.`,
    )
  const limit =
    exceeded === 'group-bytes'
      ? `${settings.agentSessionBytes} bytes of session memory`
      : `${settings.agentConversations} conversations`
  return new Fail(memoryErrors.memory_quota_exceeded, `The agent would exceed its ${limit}.`)
}
