import { Type } from 'typebox'
import type { Static } from 'typebox'
import { described } from '../values/described.ts'
import { CONVERSATION_ID_PATTERN } from '../names/conversation-id.ts'
import { anyValue } from './common.ts'

/** Version of the Agent User Interaction Protocol that the platform sends. */
export const AG_UI_VERSION = '1.0'

/** Types of the events that the platform sends. */
export const agUiEventTypes = [
  'RUN_STARTED',
  'RUN_FINISHED',
  'RUN_ERROR',
  'STEP_STARTED',
  'STEP_FINISHED',
  'TEXT_MESSAGE_START',
  'TEXT_MESSAGE_CONTENT',
  'TEXT_MESSAGE_END',
  'TOOL_CALL_START',
  'TOOL_CALL_ARGS',
  'TOOL_CALL_END',
  'TOOL_CALL_RESULT',
  'SUBAGENT_STARTED',
  'SUBAGENT_FINISHED',
  'SUBAGENT_ERROR',
  'CUSTOM',
] as const

/** One of `agUiEventTypes`. */
export type AgUiEventType = (typeof agUiEventTypes)[number]

// Clients send fields of later versions, too.
const open = { additionalProperties: true }

const message = Type.Object(
  {
    role: Type.String({ minLength: 1, maxLength: 64, description: 'Role of the message, such as user or assistant.' }),
    content: Type.Optional({ ...anyValue, description: 'A text, or a list of parts.' }),
  },
  { ...open, title: 'AgUiMessage' },
)

const resumeEntry = Type.Object(
  {
    interruptId: Type.String({
      minLength: 1,
      maxLength: 1024,
      description: 'The id of the interrupt, as it was sent.',
    }),
    status: described(Type.Enum(['resolved', 'cancelled']), 'Whether the interrupt was answered or cancelled.'),
    payload: Type.Optional({
      ...anyValue,
      description: 'The answer to a question, else {approved, editedArgs?, reason?}.',
    }),
  },
  { ...open, title: 'AgUiResumeEntry' },
)

/** Body of `POST /api/agents/{ns}/{name}/ag-ui`: RunAgentInput of the protocol. */
export const AgUiInput = Type.Object(
  {
    threadId: Type.String({
      minLength: 1,
      maxLength: 128,
      pattern: CONVERSATION_ID_PATTERN,
      description: 'The conversation.',
    }),
    runId: Type.String({ minLength: 1, maxLength: 256, description: 'Id that the client gives; sent back in events.' }),
    protocolVersion: Type.Optional(
      Type.String({ maxLength: 32, description: 'Version of AG-UI that the client speaks.' }),
    ),
    messages: Type.Array(message, {
      maxItems: 10_000,
      description: 'The user messages after the last message of another role are the input of the run.',
    }),
    resume: Type.Optional(
      Type.Array(resumeEntry, { maxItems: 100, description: 'Answers to all open interrupts of the paused run.' }),
    ),
  },
  { ...open, title: 'RunAgentInput' },
)

/** Parsed `AgUiInput`. */
export type AgUiRunInput = Static<typeof AgUiInput>

/** `data` of one server-sent event of the protocol. */
export const AgUiEvent = Type.Object(
  {
    type: Type.Enum([...agUiEventTypes], { title: 'AgUiEventType', description: 'Type of the event.' }),
    timestamp: Type.Optional(Type.Integer({ description: 'Milliseconds since 1970.' })),
  },
  { ...open, title: 'AgUiEvent', description: 'Event of AG-UI 1.0; the fields depend on `type`.' },
)
