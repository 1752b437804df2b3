import { Type } from 'typebox'
import type { Static } from 'typebox'
import { described } from '../values/described.ts'
import { FIXTURE_FORMAT, MAX_ORDINAL } from './fixture-format.ts'

const closed = { additionalProperties: false }
const count = (maximum = Number.MAX_SAFE_INTEGER) => Type.Integer({ minimum: 0, maximum })
const id = Type.String({ pattern: '^[0-9a-f]{16}$' })

/** Fields of every part of one attempt. */
const attempt = {
  format: described(Type.Literal(FIXTURE_FORMAT), 'Format of the recording.'),
  runId: Type.String({
    format: 'uuid',
    description: 'UUIDv7 of the run.',
    examples: ['0198c3f0-6f2a-7c1d-9b1e-5a4d3c2b1a00'],
  }),
  /** Fencing token of the attempt: increases with each attempt of the run. */
  epoch: described(count(2_147_483_647), 'Fencing token of the attempt, which rises with each attempt of the run.', 1),
}

const answer = Type.Union([
  Type.Object(
    {
      kind: described(Type.Literal('answer'), 'How the call ended.'),
      body: Type.Unknown({ description: 'Response of the model or tool.' }),
    },
    closed,
  ),
  Type.Object(
    {
      kind: described(Type.Literal('error'), 'How the call ended.'),
      status: Type.Integer({ minimum: 100, maximum: 599, description: 'HTTP status of the response.' }),
      code: described(Type.Union([Type.String({ maxLength: 128 }), Type.Null()]), 'Error code; null without one.'),
      message: Type.String({ maxLength: 4_096, description: 'Error message.' }),
    },
    closed,
  ),
  Type.Object({ kind: described(Type.Literal('aborted'), 'How the call ended.') }, closed),
  Type.Object(
    {
      kind: described(Type.Literal('omitted'), 'How the call ended.'),
      reason: described(Type.Enum(['too_large', 'unreadable']), 'Why the response is not recorded.'),
    },
    closed,
  ),
])

const call = {
  ...attempt,
  /** Position among the calls of the channel in this attempt, from 1, in the order of their start. */
  ordinal: Type.Integer({
    minimum: 1,
    maximum: MAX_ORDINAL,
    description: 'Place among the calls of the channel, from 1, in the order of their start.',
  }),
  startedAt: Type.String({ format: 'date-time', maxLength: 64, description: 'Start time.' }),
  durationMs: described(count(), 'Duration in milliseconds.'),
  spanId: described(id, 'Span of the call, 16 lowercase hexadecimal digits.'),
  parentSpanId: described(Type.Union([id, Type.Null()]), 'Parent span; null without one.'),
  answer: described(answer, 'How the call ended, with its response.'),
}

const modelRequest = Type.Object(
  {
    operation: described(Type.Enum(['chat/completions', 'messages', 'embeddings']), 'API of the model call.'),
    /** The request without secrets; null if it was too large. */
    body: described(
      Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]),
      'Request without secrets; null if it was too large.',
    ),
  },
  closed,
)

const toolRequest = Type.Object(
  {
    /** `namespace/name` of the McpServer. */
    server: Type.String({ maxLength: 512, description: 'namespace/name of the McpServer.' }),
    /** Name of the tool for the agent, and at its server. */
    name: Type.String({ maxLength: 256, description: 'Name of the tool for the agent.' }),
    tool: Type.String({ maxLength: 256, description: 'Name of the tool at its server.' }),
    arguments: described(
      Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]),
      'Arguments of the call; null if they were too large.',
    ),
  },
  closed,
)

/** A model call. A streamed response is recorded as one response, assembled from its events. */
export const ModelPart = Type.Object(
  {
    ...call,
    channel: described(Type.Literal('model'), 'Channel of the part.'),
    request: described(modelRequest, 'Request of the call.'),
  },
  closed,
)

/** A tool call. */
export const ToolPart = Type.Object(
  {
    ...call,
    channel: described(Type.Literal('tool'), 'Channel of the part.'),
    request: described(toolRequest, 'Request of the call.'),
  },
  closed,
)

/** The end of an attempt: its number of calls, by which a truncated recording is detected. */
export const EndPart = Type.Object(
  {
    ...attempt,
    channel: Type.Literal('end'),
    state: Type.Enum(['succeeded', 'failed', 'paused', 'cancelled', 'timed_out']),
    calls: Type.Object({ model: count(MAX_ORDINAL), tool: count(MAX_ORDINAL) }, closed),
    /** Removed content besides secrets, as in `spec.tracePolicy.redact`. */
    redact: Type.Array(Type.String({ maxLength: 256 }), { maxItems: 64 }),
  },
  closed,
)

/** One object of a recording: `runs/<run-id>/<channel>/<sequence>.json`. */
export const FixturePart = Type.Union([ModelPart, ToolPart, EndPart])

/** See {@link FixturePart}. */
export type FixturePart = Static<typeof ModelPart> | Static<typeof ToolPart> | Static<typeof EndPart>

/** A recorded call. */
export type FixtureCall = Static<typeof ModelPart> | Static<typeof ToolPart>

/** The key of a call: its channel and its request. */
export type FixtureRequest =
  | Pick<Static<typeof ModelPart>, 'channel' | 'request'>
  | Pick<Static<typeof ToolPart>, 'channel' | 'request'>

/** How a recorded call ended. */
export type FixtureResponse = Static<typeof answer>

/** Why a recording is not complete; `sequence` is the number of the part. */
export const FixtureProblem = Type.Object(
  {
    code: described(
      Type.Enum(['missing', 'no_end', 'paused', 'omitted', 'unreadable', 'foreign', 'duplicate']),
      'What is wrong.',
    ),
    channel: described(Type.Enum(['model', 'tool', 'end']), 'Channel of the part.'),
    sequence: described(Type.Union([count(), Type.Null()]), 'Number of the part; null for the whole channel.'),
  },
  closed,
)

/** See {@link FixtureProblem}. */
export type FixtureProblem = Static<typeof FixtureProblem>

const hash = { hash: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256 of the canonical request.' }) }

/** The recording of a run, merged. */
export const Fixture = Type.Object({
  format: described(Type.Literal(FIXTURE_FORMAT), 'Format of the recording.'),
  runId: Type.String({
    format: 'uuid',
    description: 'UUIDv7 of the run.',
    examples: ['0198c3f0-6f2a-7c1d-9b1e-5a4d3c2b1a00'],
  }),
  model: described(
    Type.Array(Type.Object({ ...ModelPart.properties, ...hash }, closed)),
    'Model calls, in the order of their start.',
    [],
  ),
  tool: described(
    Type.Array(Type.Object({ ...ToolPart.properties, ...hash }, closed)),
    'Tool calls, in the order of their start.',
    [],
  ),
  redact: described(Type.Array(Type.String()), 'What was removed beside secrets, as in spec.tracePolicy.redact.', []),
  complete: Type.Boolean({
    description: 'Whether every call of the run is recorded with its content.',
    examples: [true],
  }),
  problems: described(Type.Array(FixtureProblem), 'Why the recording is not complete.', []),
})

/** See {@link Fixture}. */
export type Fixture = Static<typeof Fixture>
