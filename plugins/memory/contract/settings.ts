import { Type } from 'typebox'
import type { Static } from 'typebox'

const MIB = 1024 * 1024

/** A limit in bytes, from 64 KiB to 64 GiB. */
const bytes = (description: string, mebibytes: number, most = 64 * 1024) =>
  Type.Integer({ minimum: 64 * 1024, maximum: most * MIB, default: mebibytes * MIB, description })

/** A limit on a count. */
const count = (description: string, normal: number, maximum = 10_000_000) =>
  Type.Integer({ minimum: 1, maximum, default: normal, description })

/** Settings of the plugin. */
export const memorySettings = Type.Object(
  {
    // A conversation is read as a whole, by launchers with 512 MiB.
    conversationBytes: bytes('Maximum size of one conversation in session memory, as canonical JSON.', 1, 8),
    conversationEntries: count('Entries kept of one conversation, unless its agent keeps fewer.', 10_000, 100_000),
    agentSessionBytes: bytes('Maximum size of all conversations of one agent.', 32),
    agentConversations: count('Maximum number of conversations of one agent that have not expired.', 10_000),
    namespaceSessionBytes: bytes('Maximum size of all conversations of all agents of a namespace.', 128),
    namespaceConversations: count('Maximum number of conversations of all agents of a namespace.', 50_000),
    agentItems: count('Maximum number of long-term memory items of one agent.', 10_000, 1_000_000),
    agentItemBytes: bytes('Maximum size of the long-term memory of one agent: texts and metadata.', 32),
    namespaceItems: count('Maximum number of long-term memory items of all agents of a namespace.', 100_000),
    namespaceItemBytes: bytes('Maximum size of the long-term memory of all agents of a namespace.', 256),
    itemRetentionDays: count(
      'Days after which a long-term memory item is removed, regardless of its own ttl.',
      3_650,
      3_650,
    ),
  },
  { additionalProperties: false },
)

/** See {@link memorySettings}. */
export type MemorySettings = Static<typeof memorySettings>
