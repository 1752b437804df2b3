import { Fail } from '#core/errors/domain-error.ts'
import type { Store } from '#core/event-store/store.ts'
import type { CallingAgent } from '#core/cluster/calling-agent.ts'
import type { RunsSystem } from '#plugins/runs/contract/api.ts'
import type { AgentDeploymentSpec } from '#schemas/crds/agent-deployment.ts'
import { durationBounds, durationProblem, durationToMs } from '#schemas/values/duration.ts'
import { memoryErrors } from '../contract/errors.ts'
import type { EmbedText, EmbeddingAgent } from '../items/embed-text.ts'
import { searchItems } from '../store/item-memory.ts'
import type { ItemOwner, RankedItem } from '../store/item-memory.ts'
import { isEmbedded, rememberItem } from '../store/remember-item.ts'
import type { MemoryTables } from '../contract/tables.ts'
import { toStoredName } from '../session/bound-conversation.ts'
import { toEntry } from '../session/entry.ts'
import type { SessionMemory, SessionOwner } from '../session/session-memory.ts'
import type { MemorySettings } from '../contract/settings.ts'
import type { ItemSearch, RememberRequest } from '../contract/wire.ts'

/** Memory of the agent whose pod calls. Every function throws `not_bound` if the agent's spec does not bind the part. */
export interface PodMemory {
  append(agent: CallingAgent, conversationId: string, entry: unknown): Promise<number>
  entries(agent: CallingAgent, conversationId: string): Promise<readonly string[]>
  /** Turns of the conversation of a run, which belongs to the user of the run. */
  turns(agent: CallingAgent, runId: string): Promise<readonly string[]>
  /** Adds a turn to the conversation; at its maximum size the oldest turns are dropped. Returns the number of turns. */
  appendTurn(agent: CallingAgent, runId: string, messages: readonly unknown[]): Promise<number>
  /** Stores an item. A repeat with the same text and metadata returns the id of the stored one. */
  remember(agent: CallingAgent, request: RememberRequest, runId: string | undefined): Promise<string>
  /** `note` is the reason why a search is full-text only although the spec has an embedding route. */
  search(
    agent: CallingAgent,
    request: ItemSearch,
    runId: string | undefined,
  ): Promise<{ readonly items: readonly RankedItem[]; readonly note?: string }>
}

/** Dependencies. */
export interface PodMemoryOptions {
  readonly store: Store
  readonly settings: MemorySettings
  readonly session: SessionMemory
  readonly runs: Pick<RunsSystem, 'subjectOf'> | undefined
  readonly embed: EmbedText
}

type LongTerm = NonNullable<NonNullable<AgentDeploymentSpec['memory']>['longTerm']>

/** Creates the memory of calling agents. */
export function createPodMemory(options: PodMemoryOptions): PodMemory {
  const { store, settings, session, embed } = options
  const db = store.reader<MemoryTables>()
  return {
    append: async (agent, conversationId, entry) => session.append(sessionOf(agent), conversationId, toEntry(entry)),
    entries: async (agent, conversationId) => session.read(sessionOf(agent), conversationId),
    turns: async (agent, runId) => {
      const owner = sessionOf(agent)
      return session.read(owner, await conversationOf(options, owner, runId))
    },
    appendTurn: async (agent, runId, messages) => {
      const owner = sessionOf(agent)
      const turn = toEntry({ runId, messages })
      return session.append(owner, await conversationOf(options, owner, runId), turn, { dropsOldest: true })
    },
    remember: async (agent, { text, metadata = {}, ttl }, runId) => {
      const bound = longTermOf(agent)
      const ttlMs = ttlOf(ttl, bound)
      const owner = await ownerOf(options, agent, bound, runId)
      const known = await isEmbedded(db, owner, { text, metadata })
      const vector = known ? undefined : (await embed(embeddingOf(agent, bound, runId), text)).vector
      return rememberItem(store, owner, { text, metadata, ttlMs, runId, vector }, settings)
    },
    search: async (agent, { query, limit = 10, filter = {} }, runId) => {
      const bound = longTermOf(agent)
      const owner = await ownerOf(options, agent, bound, runId)
      const { vector, note } = await embed(embeddingOf(agent, bound, runId), query)
      const items = await searchItems(db, owner, { query, limit, filter, vector })
      return { items, ...(note === undefined ? {} : { note }) }
    },
  }
}

function sessionOf({ namespace, uid, spec }: CallingAgent): SessionOwner {
  const session = spec.memory?.session
  if (session === undefined) throw new Fail(memoryErrors.not_bound, 'spec.memory.session of the agent is absent.')
  return { namespace, uid, session }
}

// From the row of the run: a launcher cannot choose the user or the conversation.
async function conversationOf({ runs }: PodMemoryOptions, { uid }: SessionOwner, runId: string): Promise<string> {
  const run = await runs?.subjectOf(runId)
  if (run?.agentUid !== uid) throw new Fail(memoryErrors.unknown_run)
  return toStoredName({ id: run.conversationId, subject: run.subject })
}

function longTermOf({ spec }: CallingAgent): LongTerm {
  const bound = spec.memory?.longTerm
  if (bound === undefined) throw new Fail(memoryErrors.not_bound, 'spec.memory.longTerm of the agent is absent.')
  return bound
}

function embeddingOf(
  { namespace, name, uid }: CallingAgent,
  { embeddingRoute: route }: LongTerm,
  runId: string | undefined,
): EmbeddingAgent {
  return { payer: { kind: 'agent', namespace, name, uid }, route, runId }
}

function ttlOf(ttl: string | undefined, { ttl: bound }: LongTerm): number | undefined {
  const most = bound === undefined ? Infinity : (durationToMs(bound) ?? Infinity)
  const problem = ttl === undefined ? undefined : durationProblem(ttl, durationBounds.retention)
  if (problem !== undefined) throw refuse('/ttl', problem)
  const ms = Math.min(most, ttl === undefined ? Infinity : (durationToMs(ttl) ?? Infinity))
  return ms === Infinity ? undefined : ms
}

/** The owner of items: with `scope: user` the subject of the run, which must be a run of the agent. */
async function ownerOf(
  { runs }: PodMemoryOptions,
  { namespace, name, uid }: CallingAgent,
  { scope = 'agent' }: LongTerm,
  runId: string | undefined,
): Promise<ItemOwner> {
  const run = runId === undefined ? undefined : await runs?.subjectOf(runId)
  if (runId !== undefined && run?.agentUid !== uid) throw new Fail(memoryErrors.unknown_run)
  if (scope === 'user' && run === undefined)
    throw refuse('X-Mesh-Run-Id', 'memory of this agent is kept per user: a run is required')
  // A case of an evaluation starts with an empty memory, which no other run reads.
  const subject = run?.trigger === 'eval' ? `eval/${runId}` : run?.subject
  return { namespace, name, uid, subject: scope === 'user' || run?.trigger === 'eval' ? subject : undefined }
}

function refuse(pointer: string, detail: string): Fail {
  return new Fail('malformed_request', `${pointer}: ${detail}`, { errors: [{ pointer, detail }] })
}
