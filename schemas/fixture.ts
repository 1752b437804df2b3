import { Type } from 'typebox'
import type { Static } from 'typebox'
import { FIXTURE_FORMAT, MAX_ORDINAL } from './fixture-format.ts'

const closed = { additionalProperties: false }
const count = (maximum = Number.MAX_SAFE_INTEGER) => Type.Integer({ minimum: 0, maximum })
const id = Type.String({ pattern: '^[0-9a-f]{16}$' })

/** Fields of every part of one attempt. */
const attempt = {
  format: Type.Literal(FIXTURE_FORMAT),
  runId: Type.String({ format: 'uuid' }),
  /** Fencing token of the attempt: rises with each attempt of the run. */
  epoch: count(2_147_483_647),
}

const answer = Type.Union([
  Type.Object({ kind: Type.Literal('answer'), body: Type.Unknown() }, closed),
  Type.Object(
    {
      kind: Type.Literal('error'),
      status: Type.Integer({ minimum: 100, maximum: 599 }),
      code: Type.Union([Type.String({ maxLength: 128 }), Type.Null()]),
      message: Type.String({ maxLength: 4_096 }),
    },
    closed,
  ),
  Type.Object({ kind: Type.Literal('aborted') }, closed),
  Type.Object({ kind: Type.Literal('omitted'), reason: Type.Enum(['too_large', 'unreadable']) }, closed),
])

const call = {
  ...attempt,
  /** Place among the calls of the channel in this attempt, from 1, in the order of their start. */
  ordinal: Type.Integer({ minimum: 1, maximum: MAX_ORDINAL }),
  startedAt: Type.String({ format: 'date-time', maxLength: 64 }),
  durationMs: count(),
  spanId: id,
  parentSpanId: Type.Union([id, Type.Null()]),
  answer,
}

const modelRequest = Type.Object(
  {
    operation: Type.Enum(['chat/completions', 'messages', 'embeddings']),
    /** The request without secrets; null if it was too large. */
    body: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]),
  },
  closed,
)

const toolRequest = Type.Object(
  {
    /** `namespace/name` of the McpServer. */
    server: Type.String({ maxLength: 512 }),
    /** Name of the tool for the agent, and at its server. */
    name: Type.String({ maxLength: 256 }),
    tool: Type.String({ maxLength: 256 }),
    arguments: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]),
  },
  closed,
)

/** A model call. A streamed answer is the whole that its events add up to. */
export const ModelPart = Type.Object({ ...call, channel: Type.Literal('model'), request: modelRequest }, closed)

/** A tool call. */
export const ToolPart = Type.Object({ ...call, channel: Type.Literal('tool'), request: toolRequest }, closed)

/** The end of an attempt: how many calls it made, so that a recording that was cut is known to be incomplete. */
export const EndPart = Type.Object(
  {
    ...attempt,
    channel: Type.Literal('end'),
    state: Type.Enum(['succeeded', 'failed', 'paused', 'cancelled', 'timed_out']),
    calls: Type.Object({ model: count(MAX_ORDINAL), tool: count(MAX_ORDINAL) }, closed),
    /** What was removed beside secrets, as in `spec.tracePolicy.redact`. */
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

/** What identifies a call: its channel and its request. */
export type FixtureRequest =
  | Pick<Static<typeof ModelPart>, 'channel' | 'request'>
  | Pick<Static<typeof ToolPart>, 'channel' | 'request'>

/** How a recorded call ended. */
export type FixtureAnswer = Static<typeof answer>

/** Why a recording is not complete; `sequence` names the part. */
export const FixtureProblem = Type.Object(
  {
    code: Type.Enum(['missing', 'no_end', 'paused', 'omitted', 'unreadable', 'foreign', 'duplicate']),
    channel: Type.Enum(['model', 'tool', 'end']),
    sequence: Type.Union([count(), Type.Null()]),
  },
  closed,
)

/** See {@link FixtureProblem}. */
export type FixtureProblem = Static<typeof FixtureProblem>

const hash = { hash: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256 of the canonical request.' }) }

/** The recording of a run, merged. */
export const Fixture = Type.Object({
  format: Type.Literal(FIXTURE_FORMAT),
  runId: Type.String({ format: 'uuid' }),
  model: Type.Array(Type.Object({ ...ModelPart.properties, ...hash }, closed)),
  tool: Type.Array(Type.Object({ ...ToolPart.properties, ...hash }, closed)),
  redact: Type.Array(Type.String()),
  complete: Type.Boolean({ description: 'Whether every call of the run is recorded with its content.' }),
  problems: Type.Array(FixtureProblem),
})

/** See {@link Fixture}. */
export type Fixture = Static<typeof Fixture>
