import type { Access, Caller } from '#core/cluster/caller.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { Reader } from '#core/event-store/store.ts'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { rowList } from '#core/http/store/row-routes.ts'
import { keyedPage } from '#core/http/store/store-list.ts'
import type { RowKey } from '#core/http/store/store-list.ts'
import type { DnsLabel } from '#core/kube/names.ts'
import {
  ConversationList,
  ConversationListQuery,
  ConversationPath,
  ConversationQuery,
  SubjectList,
  SubjectListQuery,
  TurnList,
} from '#schemas/api/conversations.ts'
import { isConversationId } from '#schemas/names/conversation-id.ts'
import type { RunsTables } from '../contract/tables.ts'
import { toConversation, toListedSubject, toTurn } from '../read/to-conversation.ts'
import type { RunsServices } from '../services/create-services.ts'
import { listConversations, listSubjects, namespacesOfConversation, readTurnPage } from '../store/conversations.ts'

type Db = Reader<RunsTables>

const names = { resource: 'runs', kind: 'Run' } as const
const DEFAULT_TURNS = 20

/** Routes of conversations and subjects, for callers that may read their runs. */
export function conversationEndpoints({ store }: Pick<RunsServices, 'store'>): readonly AnyEndpoint[] {
  const db = store.reader<RunsTables>()
  return [listEndpoint(db), turnsEndpoint(db), subjectsEndpoint(db)]
}

const listEndpoint = (db: Db): AnyEndpoint =>
  rowList(names, {
    url: '/conversations',
    id: 'listConversations',
    summary: 'List conversations of agents with subjects, by their newest turn.',
    query: ConversationListQuery,
    page: ConversationList,
    select: ({ query: { agent, subject } }) => {
      return (access, page) => listConversations(db, access, { agent, subject }, page)
    },
    keyOf: ({ last_at: at, last_run_id: id }): RowKey => [at.toISOString(), id],
    show: toConversation,
  })

const subjectsEndpoint = (db: Db): AnyEndpoint =>
  rowList(names, {
    url: '/subjects',
    id: 'listSubjects',
    summary: 'List the subjects of runs in each namespace.',
    query: SubjectListQuery,
    page: SubjectList,
    select: ({ query: { q = '' } }) => {
      return (access, page) => listSubjects(db, access, q, page)
    },
    keyOf: ({ namespace_uid: uid, subject }): RowKey => [uid, subject],
    show: toListedSubject,
  })

const turnsEndpoint = (db: Db): AnyEndpoint =>
  endpoint({
    method: 'GET',
    url: '/conversations/:id',
    id: 'getConversation',
    summary: 'Get the turns of a conversation that the caller may read, oldest first.',
    authz: { kind: 'row', verb: 'get', resource: 'runs' },
    params: ConversationPath,
    query: ConversationQuery,
    response: { 200: TurnList },
    handle: async ({ caller, cursors, params: { id }, query }) => {
      const proofs = await proofsOf(db, caller, id)
      const { agent, subject, limit = DEFAULT_TURNS } = query
      const page = await keyedPage(
        { query: { ...query, limit }, cursors },
        {
          bound: id,
          read: async (wanted) => {
            const found = await Promise.all(
              proofs.map((access) => readTurnPage(db, access, { id, agent, subject }, wanted)),
            )
            return found.flat().toSorted(oldestFirst).slice(0, wanted.limit)
          },
          keyOf: ({ created_at: at, id: runId }) => [at.toISOString(), runId],
        },
      )
      return { id, ...page, items: page.items.map(toTurn) }
    },
  })

// Who may not get a run of the conversation does not learn that it exists.
async function proofsOf(db: Db, caller: Caller, id: string): Promise<readonly Access<'get', 'runs'>[]> {
  const places = isConversationId(id) ? await namespacesOfConversation(db, id) : []
  const reviewed = await Promise.all(
    places.map((namespace) => caller.may('get', 'runs', { namespace: namespace as DnsLabel })),
  )
  const proofs = reviewed.filter((access) => access !== undefined)
  if (proofs.length === 0) throw new Fail('not_found', 'There is no such conversation that the caller may read.')
  return proofs
}

interface Ordered {
  readonly created_at: Date
  readonly id: string
}

function oldestFirst(a: Ordered, b: Ordered): number {
  return a.created_at.getTime() - b.created_at.getTime() || (a.id < b.id ? -1 : 1)
}
