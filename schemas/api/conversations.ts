import { Type } from 'typebox'
import { CONVERSATION_ID_PATTERN } from '../names/conversation-id.ts'
import { RunId } from '../names/run-id.ts'
import { described, exemplified } from '../values/described.ts'
import { shownAs } from '../values/shown-as.ts'
import { anyValue, cursor, limit, listOf, namespaceQuery, pageQuery, scope, time, timeOrNull } from './common.ts'
import { RunError, RunState, Usage, agentOfRun } from './runs.ts'

const strict = { additionalProperties: false }

const conversationId = Type.String({
  description:
    'Id of the conversation. It belongs to an agent and a subject: another agent may have one of the same id.',
  examples: ['0198c3f0-6f2a-7c1d-9b1e-5a4d3c2b1a01'],
})
const subject = Type.String({ description: 'Subject on whose behalf the agent acts.', examples: ['ada@example.com'] })
const agent = Type.Object(
  {
    namespace: Type.String({ description: 'Namespace of the agent.', examples: ['default'] }),
    name: Type.String({ description: 'Name of the agent.', examples: ['hello'] }),
    uid: Type.String({ description: 'UID of the agent.', examples: ['6f1c2a90-2f5e-4d1b-9c53-0b7d1c9e4a11'] }),
  },
  { title: 'ConversationAgent' },
)

/** Turns that a list counts at most in one conversation. */
export const MAX_COUNTED_TURNS = 200

/** A conversation of an agent with a subject. */
export const Conversation = Type.Object(
  {
    id: conversationId,
    agent: described(agent, 'Agent of the conversation.'),
    subject,
    turns: Type.Integer({
      description: `Number of its runs, counted up to ${MAX_COUNTED_TURNS}.`,
      examples: [3],
    }),
    startedAt: described(time, 'Creation of the first turn.'),
    lastAt: described(time, 'Creation of the newest turn.'),
    last: exemplified(
      Type.Union([Type.Object({ runId: RunId, state: RunState }, { title: 'LastTurn' }), Type.Null()], {
        description: 'The newest turn; null if it was removed.',
      }),
      { runId: '0198c3f0-6f2a-7c1d-9b1e-5a4d3c2b1a0a', state: 'succeeded' },
    ),
  },
  { title: 'Conversation' },
)

/** A page of conversations. */
export const ConversationList = listOf(Conversation)

const filterText = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 317, description }))

/** Query of `GET /api/conversations`. */
export const ConversationListQuery = Type.Object(
  {
    namespace: Type.Optional(namespaceQuery),
    scope: Type.Optional(scope),
    agent: filterText('Name of the agent.'),
    subject: filterText('Exact name of the subject.'),
    ...pageQuery,
  },
  strict,
)

/** Path of a conversation; any string, since a malformed id gets the response for an unknown one. */
export const ConversationPath = Type.Object({
  id: shownAs(
    Type.String({ maxLength: 1024 }),
    Type.String({ pattern: CONVERSATION_ID_PATTERN, maxLength: 128, description: 'Id of the conversation.' }),
  ),
})

/** Query of `GET /api/conversations/{id}`. */
export const ConversationQuery = Type.Object(
  {
    agent: filterText('Name of the agent: turns with it alone.'),
    subject: filterText('Exact name of the subject: its turns alone.'),
    limit: Type.Optional({ ...limit, maximum: 100, default: 20 }),
    cursor: Type.Optional(cursor),
  },
  strict,
)

/** Size of a text that a turn shows, in bytes of JSON. */
export const MAX_TURN_BYTES = 16_384

/** A run as a turn of its conversation. */
export const Turn = Type.Object(
  {
    runId: RunId,
    agent: agentOfRun,
    subject,
    state: RunState,
    input: described(anyValue, 'Input of the run; null if it is longer than 16 KiB.', 'Hello.'),
    output: described(anyValue, 'Output of the run; null without one, or if it is longer than 16 KiB.', 'Hi.'),
    truncated: Type.Boolean({
      description: 'Whether the input or the output is too long to be shown here; `GET /api/runs/{id}` has it.',
      examples: [false],
    }),
    error: exemplified(
      Type.Union([RunError, Type.Null()], { description: 'Error of the run; null without one.' }),
      null,
    ),
    usage: Usage,
    createdAt: described(time, 'Creation of the run.'),
    finishedAt: described(timeOrNull, 'End of the run; null before.'),
  },
  { title: 'Turn' },
)

/** The turns of a conversation, oldest first. */
export const TurnList = Type.Object({ id: conversationId, ...listOf(Turn).properties }, { title: 'ConversationTurns' })

/** A subject of runs in a namespace. */
export const Subject = Type.Object(
  {
    subject,
    namespace: Type.String({ description: 'Namespace of the runs.', examples: ['default'] }),
    conversations: Type.Integer({
      description: `Number of its conversations in the namespace, counted up to ${MAX_COUNTED_TURNS}.`,
      examples: [2],
    }),
    lastAt: described(time, 'Creation of its newest run in the namespace.'),
  },
  { title: 'Subject' },
)

/** A page of subjects. */
export const SubjectList = listOf(Subject)

/** Query of `GET /api/subjects`. */
export const SubjectListQuery = Type.Object(
  {
    namespace: Type.Optional(namespaceQuery),
    scope: Type.Optional(scope),
    q: Type.Optional(Type.String({ minLength: 1, maxLength: 317, description: 'Prefix of the subject.' })),
    ...pageQuery,
  },
  strict,
)
