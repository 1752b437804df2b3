import { Fail } from '#core/errors/domain-error.ts'
import type {
  BoundedLists,
  ExceededBound,
  GroupName,
  GroupUsage,
  ListLimits,
  ListUsage,
} from '#core/state-store/state-store.ts'
import { stateStoreUnavailable } from '#core/state-store/state-store.ts'
import { durationToMs } from '#schemas/values/duration.ts'
import type { AgentDeploymentSpec } from '#schemas/crds/agent-deployment.ts'
import { memoryErrors } from '../contract/errors.ts'
import type { MemorySettings } from '../contract/settings.ts'

/** The agent to which session memory belongs: a re-created agent of the same name has another uid. Its namespace shares a quota. */
export interface SessionAgent {
  readonly namespace: string
  readonly uid: string
}

/** An agent whose spec binds session memory. */
export interface SessionOwner extends SessionAgent {
  readonly session: NonNullable<NonNullable<AgentDeploymentSpec['memory']>['session']>
}

/** Conversations of agents. Every call rejects with `state_store_unavailable` while the store does not respond. */
export interface SessionMemory {
  /** Appends an entry, which is canonical JSON. Refreshes the expiry of the conversation. Returns its number of entries. */
  append(owner: SessionOwner, conversation: string, entry: string, options?: AppendOptions): Promise<number>
  /** The entries of a conversation in order; empty for an unknown conversation. */
  read(agent: SessionAgent, conversation: string): Promise<readonly string[]>
  /** Conversations of an agent, newest first. */
  newest(agent: SessionAgent, limit: number): Promise<readonly ListUsage[]>
  usage(agent: SessionAgent): Promise<GroupUsage>
  /** Removes every conversation of an agent. */
  erase(agent: SessionAgent): Promise<void>
  /** Removes a conversation. */
  eraseNamed(agent: SessionAgent, conversation: string): Promise<void>
  /** Removes the conversations whose stored name has a prefix. */
  erasePrefix(agent: SessionAgent, prefix: string): Promise<void>
}

/** Options of an append. */
export interface AppendOptions {
  /** In a conversation of maximum size, drops the oldest entries instead of refusing the append. */
  readonly dropsOldest?: boolean
}

/** TTL of a conversation if the spec has none. */
export const DEFAULT_TTL = '24h'

/** Creates session memory on the state store; undefined: a state role without a state store. */
export function createSessionMemory(lists: BoundedLists | undefined, settings: MemorySettings): SessionMemory {
  const store = (): BoundedLists => {
    if (lists !== undefined) return lists
    throw new Fail('not_wired', 'Session memory needs REDIS_URL in the state role.')
  }
  return {
    append: async (owner, conversation, entry, options = {}) => {
      const limits = { ...limitsOf(owner.session, settings), ...options }
      const appended = await store().append({ ...groupOf(owner), list: conversation }, entry, limits)
      if ('exceeded' in appended) throw refusalOf(appended.exceeded, settings)
      return appended.length
    },
    read: async (agent, conversation) => store().read({ ...groupOf(agent), list: conversation }),
    newest: async (agent, limit) => store().newest(groupOf(agent), limit),
    usage: async (agent) => store().usage(groupOf(agent)),
    erase: async (agent) => store().removeGroup(groupOf(agent)),
    eraseNamed: async (agent, list) => {
      await store().remove({ ...groupOf(agent), list })
    },
    erasePrefix: (agent, prefix) => erasePrefix(store(), groupOf(agent), prefix),
  }
}

async function erasePrefix(lists: BoundedLists, group: GroupName, prefix: string): Promise<void> {
  const { lists: stored } = await lists.usage(group)
  if (stored === 0) return
  for (const { list } of await lists.newest(group, stored))
    if (list.startsWith(prefix)) await lists.remove({ ...group, list })
}

/** Serializes a list of entries. */
export function joinEntries(entries: readonly string[]): string {
  return `[${entries.join(',')}]`
}

function groupOf({ namespace, uid }: SessionAgent): GroupName {
  return { space: `memory/${namespace}`, group: uid }
}

function limitsOf({ ttl = DEFAULT_TTL, maxEntries }: SessionOwner['session'], settings: MemorySettings): ListLimits {
  return {
    ttlMs: durationToMs(ttl) ?? 0,
    maxListBytes: settings.conversationBytes,
    maxListEntries: Math.min(maxEntries ?? settings.conversationEntries, settings.conversationEntries),
    maxGroupBytes: settings.agentSessionBytes,
    maxGroupLists: settings.agentConversations,
    maxSpaceBytes: settings.namespaceSessionBytes,
    maxSpaceLists: settings.namespaceConversations,
  }
}

function refusalOf(exceeded: ExceededBound, settings: MemorySettings): Fail {
  if (exceeded === 'store') return stateStoreUnavailable('The state store is full.')
  if (exceeded === 'list-bytes')
    return new Fail(
      memoryErrors.conversation_full,
      `The conversation would exceed its limit of ${settings.conversationBytes} bytes.`,
    )
  const limits = {
    'group-bytes': `The agent would exceed its limit of ${settings.agentSessionBytes} bytes of session memory.`,
    'group-lists': `The agent would exceed its limit of ${settings.agentConversations} conversations.`,
    'space-bytes': `The namespace would exceed its limit of ${settings.namespaceSessionBytes} bytes of session memory.`,
    'space-lists': `The namespace would exceed its limit of ${settings.namespaceConversations} conversations.`,
  }
  return new Fail(memoryErrors.memory_quota_exceeded, limits[exceeded])
}
