import { Type } from 'typebox'
import type { Static } from 'typebox'
import { described } from '../values/described.ts'
import { CONVERSATION_ID_PATTERN } from '../names/conversation-id.ts'
import { anyValue, openObject } from './common.ts'

/** Version of the Agent2Agent protocol (a2a-protocol.org). */
export const A2A_VERSION = '1.0'

/** Earlier version whose methods are also served. */
export const A2A_LEGACY_VERSION = '0.3'

// Clients send fields of extensions and of later versions.
const open = { additionalProperties: true }

const id = (description: string) => Type.String({ minLength: 1, maxLength: 256, description })
const historyLength = Type.Integer({ minimum: 0, maximum: 2_147_483_647 })

const contextId = Type.String({
  minLength: 1,
  maxLength: 128,
  pattern: CONVERSATION_ID_PATTERN,
  description: 'The conversation.',
})

const part = Type.Object(
  {
    kind: Type.Optional(Type.String({ maxLength: 32, description: 'Version 0.3: text, data or file.' })),
    text: Type.Optional(Type.String({ description: 'Text of the part.' })),
    data: Type.Optional(described(anyValue, 'JSON data of the part.')),
  },
  { ...open, title: 'A2aPart' },
)

/** A message of a caller. Empty strings count as absent: Protocol Buffers write them in JSON. */
export const A2aMessage = Type.Object(
  {
    messageId: id('Id that the client gives.'),
    role: described(Type.Enum(['ROLE_USER', 'user']), 'Role of the sender.'),
    parts: Type.Array(part, { minItems: 1, maxItems: 1000, description: 'Texts, or one part with JSON data.' }),
    contextId: Type.Optional(Type.Union([contextId, Type.Literal('')])),
    taskId: Type.Optional(Type.String({ maxLength: 256, description: 'The paused task that the message answers.' })),
    metadata: Type.Optional(openObject('`mesh.dev/answer` has the fields of ResumeInput, for an approval.')),
  },
  { ...open, title: 'A2aMessage' },
)

/** Parameters of `SendMessage` and `SendStreamingMessage`. */
export const A2aSendParams = Type.Object(
  {
    message: A2aMessage,
    configuration: Type.Optional(
      Type.Object(
        {
          acceptedOutputModes: Type.Optional(Type.Array(Type.String({ maxLength: 256 }), { maxItems: 64 })),
          historyLength: Type.Optional(historyLength),
          returnImmediately: Type.Optional(Type.Boolean()),
          blocking: Type.Optional(Type.Boolean({ description: 'Version 0.3.' })),
        },
        open,
      ),
    ),
  },
  open,
)

/** Parameters of `GetTask`, `CancelTask` and `SubscribeToTask`. */
export const A2aTaskParams = Type.Object(
  { id: id('The task, which is a run.'), historyLength: Type.Optional(historyLength) },
  open,
)

/** States of a task, by which `ListTasks` filters. */
export const a2aTaskStates = [
  'TASK_STATE_SUBMITTED',
  'TASK_STATE_WORKING',
  'TASK_STATE_INPUT_REQUIRED',
  'TASK_STATE_AUTH_REQUIRED',
  'TASK_STATE_COMPLETED',
  'TASK_STATE_FAILED',
  'TASK_STATE_CANCELED',
  'TASK_STATE_REJECTED',
] as const

/** One of `a2aTaskStates`. */
export type A2aTaskState = (typeof a2aTaskStates)[number]

/** Parameters of `ListTasks`. Empty strings and the unspecified state count as absent. */
export const A2aListParams = Type.Object(
  {
    contextId: Type.Optional(Type.Union([contextId, Type.Literal('')])),
    status: Type.Optional(Type.Enum([...a2aTaskStates, 'TASK_STATE_UNSPECIFIED'])),
    pageSize: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
    pageToken: Type.Optional(Type.String({ maxLength: 8192 })),
    historyLength: Type.Optional(historyLength),
    statusTimestampAfter: Type.Optional(Type.String({ format: 'date-time' })),
    includeArtifacts: Type.Optional(Type.Boolean()),
  },
  open,
)

/** Parsed parameters. */
export type A2aSendRequest = Static<typeof A2aSendParams>
/** Parsed parameters of one task. */
export type A2aTaskRequest = Static<typeof A2aTaskParams>
/** Parsed parameters of a list. */
export type A2aListRequest = Static<typeof A2aListParams>

const rpcId = Type.Union([Type.String({ maxLength: 256 }), Type.Integer()])

/** Body of the route, as the OpenAPI document shows it: the route validates the body itself, since its errors are JSON-RPC errors. */
export const A2aRpcRequest = Type.Object(
  {
    jsonrpc: described(Type.Literal('2.0'), 'Version of JSON-RPC.'),
    id: described(rpcId, 'Id that the response repeats.'),
    method: Type.String({ description: 'SendMessage, SendStreamingMessage, GetTask, ListTasks, CancelTask, ...' }),
    params: Type.Optional(openObject('Parameters of the method.')),
  },
  { ...open, title: 'A2aRequest' },
)

/** Response, and `data` of each server-sent event of a stream. */
export const A2aRpcResponse = Type.Object(
  {
    jsonrpc: described(Type.Literal('2.0'), 'Version of JSON-RPC.'),
    id: described(Type.Union([rpcId, Type.Null()]), 'Id of the request; null if it could not be read.', 1),
    result: Type.Optional(
      described(anyValue, 'Result of the method; absent with an error.', {
        id: '0198c3f0-6f2a-7c1d-9b1e-5a4d3c2b1a00',
        kind: 'task',
        status: { state: 'completed' },
      }),
    ),
    error: Type.Optional(
      Type.Object(
        {
          code: Type.Integer({ description: 'Code of JSON-RPC or of the protocol.' }),
          message: Type.String({ description: 'What went wrong.' }),
          data: Type.Optional(described(anyValue, 'Details of the error.')),
        },
        { title: 'A2aError', description: 'Error of JSON-RPC or of the protocol.' },
      ),
    ),
  },
  { title: 'A2aResponse' },
)

/** The agent card. */
export const A2aAgentCard = Type.Object(
  {
    name: Type.String({ description: 'Name of the agent.', examples: ['hello'] }),
    description: Type.String({ description: 'What the agent does.', examples: ['You greet people in one sentence.'] }),
    version: Type.String({ description: 'Version of the agent: its revision.', examples: ['1'] }),
  },
  { ...open, title: 'A2aAgentCard', description: 'Agent card of A2A 1.0, or of 0.3 without the header A2A-Version.' },
)
