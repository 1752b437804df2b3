import { Type } from 'typebox'
import type { Static } from 'typebox'
import { CONVERSATION_ID_PATTERN } from '../conversation-id.ts'
import { durationBounds } from '../duration.ts'
import { DNS_LABEL_PATTERN, DNS_NAME_PATTERN, durationText } from '../parts.ts'
import { componentRef, shownAs } from '../shown-as.ts'
import { entryKinds } from '../run.ts'
import {
  anyObject,
  anyValue,
  listOf,
  namespaceQuery,
  openObject,
  pageQuery,
  rowId,
  scope,
  time,
  timeOrNull,
} from './common.ts'

const strict = { additionalProperties: false }
const textOrNull = Type.Union([Type.String(), Type.Null()])

/** States of a run; the last five are final. */
export const RunState = Type.Enum(
  ['queued', 'running', 'paused', 'cancelling', 'succeeded', 'failed', 'rejected', 'timed_out', 'cancelled'],
  { title: 'RunState' },
)

/** See {@link RunState}. */
export type RunState = Static<typeof RunState>

/** Why a run is paused. */
export const PauseReason = Type.Enum(['approval_required', 'input_required', 'auth_required', 'budget_hold'], {
  title: 'PauseReason',
})

/** See {@link PauseReason}. */
export type PauseReason = Static<typeof PauseReason>

/** Why a run failed or was rejected. */
export const FailReason = Type.Enum(
  [
    'agent_error',
    'model_error',
    'tool_error',
    'guardrail_blocked',
    'budget_exceeded',
    'agent_unreachable',
    'permission_revoked',
    'lost_worker',
    'approval_denied',
    'approval_expired',
  ],
  { title: 'FailReason' },
)

/** See {@link FailReason}. */
export type FailReason = Static<typeof FailReason>

const conversationId = Type.String({ minLength: 1, maxLength: 128, pattern: CONVERSATION_ID_PATTERN })

const agentName = Type.Object(
  {
    namespace: Type.String({ maxLength: 63, pattern: DNS_LABEL_PATTERN }),
    name: Type.String({ maxLength: 253, pattern: DNS_NAME_PATTERN }),
  },
  { ...strict, title: 'AgentName' },
)

/** Something a paused run waits for. */
export const Interrupt = Type.Object(
  {
    id: Type.String(),
    reason: PauseReason,
    tool: Type.Optional(Type.String()),
    arguments: Type.Optional(anyValue),
    question: Type.Optional(Type.String()),
    schema: Type.Optional(anyValue),
  },
  { title: 'Interrupt' },
)

/** The answer to an interrupt. */
export const Decision = Type.Object(
  {
    interruptId: Type.String(),
    tool: Type.Union([Type.String(), Type.Null()]),
    decision: Type.Union([Type.Enum(['approve', 'reject']), Type.Null()], {
      description: 'Null for the answer to a question.',
    }),
    by: Type.String({ description: 'Who decided.' }),
    at: time,
    reason: Type.Optional(Type.String()),
    arguments: Type.Optional(openObject('Arguments that replaced those of the model.')),
    onReject: Type.Optional(Type.Literal('answer')),
  },
  { title: 'Decision' },
)

/** Tokens of a run. */
export const Usage = Type.Object(
  {
    inputTokens: Type.Integer(),
    outputTokens: Type.Integer(),
    cachedTokens: Type.Integer(),
    reasoningTokens: Type.Integer(),
  },
  { title: 'Usage' },
)

/** What went wrong in a run. */
export const RunError = Type.Object(
  {
    code: Type.String({ description: 'The fail reason, or timed_out.' }),
    message: Type.Optional(Type.String({ description: 'Absent in lists.' })),
  },
  { title: 'RunError' },
)

/** A run. `agent` is null for runs of the platform itself, such as an export. */
export const Run = Type.Object(
  {
    id: rowId,
    agent: Type.Union([
      Type.Object({
        namespace: Type.String(),
        name: Type.String(),
        revision: Type.Union([Type.Integer(), Type.Null()]),
      }),
      Type.Null(),
    ]),
    conversationId: textOrNull,
    rootRunId: rowId,
    parentRunId: Type.Union([rowId, Type.Null()]),
    trigger: Type.Object({ kind: Type.String(), by: Type.String() }),
    subject: Type.String({ description: 'Who the run is done for: with whose rights the agent acts.' }),
    decidedBy: Type.Union([Type.String(), Type.Null()], { description: 'Who answered the last interrupt.' }),
    state: RunState,
    pauseReason: Type.Union([PauseReason, Type.Null()]),
    failReason: Type.Union([FailReason, Type.Null()]),
    waitReason: Type.Optional(
      Type.Object(
        { code: Type.Literal('agent_not_ready'), message: Type.String() },
        { description: "Why a queued run waits: the agent's condition Ready, for callers that may get the agent." },
      ),
    ),
    interrupts: Type.Array(Interrupt),
    decisions: Type.Optional(
      Type.Array(Decision, { description: 'Answers to the interrupts of the run, oldest first; absent in lists.' }),
    ),
    input: Type.Optional({ ...anyValue, description: 'Absent in lists.' }),
    output: Type.Optional({ ...anyValue, description: 'Absent in lists; null when there is none.' }),
    error: Type.Union([RunError, Type.Null()]),
    usage: Usage,
    cost: Type.Union([Type.Object({ amount: Type.String(), currency: Type.String() }), Type.Null()]),
    traceId: textOrNull,
    createdAt: time,
    startedAt: timeOrNull,
    finishedAt: timeOrNull,
    labels: Type.Record(Type.String(), Type.String()),
  },
  { title: 'Run' },
)

/** See {@link Run}. */
export type Run = Static<typeof Run>

/** A page of runs, newest first. */
export const RunList = listOf(Run)

/** Query of `GET /api/runs`. */
export const RunListQuery = Type.Object(
  {
    namespace: Type.Optional(namespaceQuery),
    agent: Type.Optional(Type.String({ minLength: 1, maxLength: 253 })),
    conversationId: Type.Optional(conversationId),
    state: Type.Optional(RunState),
    label: Type.Optional(Type.String({ minLength: 1, maxLength: 512, description: 'key=value' })),
    since: Type.Optional(time),
    scope: Type.Optional(scope),
    ...pageQuery,
  },
  strict,
)

/** Query of `GET /api/agents/{ns}/{name}/runs`. */
export const AgentRunsQuery = Type.Object(
  {
    state: Type.Optional(RunState),
    conversationId: Type.Optional(conversationId),
    since: Type.Optional(time),
    ...pageQuery,
  },
  strict,
)

const runFields = {
  agent: agentName,
  input: anyValue,
  conversationId: Type.Optional(conversationId),
  labels: Type.Optional(
    Type.Record(Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._/-]{0,62}$' }), Type.String({ maxLength: 256 }), {
      additionalProperties: false,
      maxProperties: 32,
    }),
  ),
}

/** Body of `POST /api/runs`. */
export const CreateRunBody = Type.Object(runFields, { ...strict, title: 'RunInput' })

/** Body of `POST /api/invoke`. */
export const InvokeBody = Type.Object(
  { ...runFields, timeout: Type.Optional(durationText(durationBounds.invokeTimeout, 'Longest wait for the outcome.')) },
  { ...strict, title: 'InvokeInput' },
)

/** Answer of `POST /api/invoke` when the run ended or paused in time. */
export const InvokeAnswer = Type.Object(
  {
    runId: rowId,
    state: RunState,
    output: anyValue,
    error: Type.Union([RunError, Type.Null()]),
    interrupts: Type.Array(Interrupt),
    usage: Usage,
    traceId: textOrNull,
  },
  { title: 'InvokeResult' },
)

/** Path of the routes of one run; any text, since a malformed id is as unknown as another's. */
export const RunParams = Type.Object({ id: Type.String({ maxLength: 1024 }) })

/** Query of `GET /api/runs/{id}/events`. */
export const RunEventsQuery = Type.Object(
  {
    after: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 2_147_483_647,
        description: 'seq of the last entry that was seen; one beyond the newest is refused.',
      }),
    ),
  },
  strict,
)

/** Body of `POST /api/runs/{id}/resume`. */
export const ResumeBody = Type.Object(
  {
    interruptId: Type.Optional(
      Type.String({ minLength: 1, maxLength: 512, description: 'Required when several interrupts are open.' }),
    ),
    decision: Type.Optional(Type.Enum(['approve', 'reject'], { description: 'Required by an approval.' })),
    payload: Type.Optional({ ...anyValue, description: 'The answer to a question, which requires it.' }),
    arguments: Type.Optional(
      openObject("Arguments for an approved call in place of the model's; they must fit the interrupt's schema."),
    ),
    reason: Type.Optional(
      Type.String({ maxLength: 1024, description: 'Kept with the run and in the audit log. Write no secrets.' }),
    ),
    onReject: Type.Optional(
      Type.Enum(['end', 'answer'], {
        description: 'A rejection ends the run (end, the default) or is given to the agent, which goes on (answer).',
      }),
    ),
  },
  { ...strict, title: 'ResumeInput' },
)

/** A node of the tree of a run. */
export const TreeNode = Type.Object(
  {
    spanId: Type.String({ description: 'Unique within the tree.' }),
    kind: Type.Enum(['run', 'step', 'message', 'model', 'tool', 'delegate', 'interrupt']),
    name: Type.String(),
    startedAt: time,
    durationMs: Type.Union([Type.Number(), Type.Null()]),
    status: Type.Enum(['ok', 'error', 'running', 'paused', 'queued']),
    attributes: openObject('What the entries of the span say, such as `route`, `model`, `arguments` or `result`.'),
    children: Type.Array(shownAs(anyObject, componentRef('TreeNode'))),
  },
  { title: 'TreeNode' },
)

/** Answer of `GET /api/runs/{id}/tree`. */
export const RunTree = Type.Object({ root: TreeNode }, { title: 'RunTree' })

const optionalText = Type.Optional(Type.String())

// One object for all kinds: agents add fields of their own, and a union of 27 kinds would not hold what they send.
const runEventData = Type.Object(
  {
    step: Type.Optional(Type.Integer({ description: 'step.*' })),
    messageId: Type.Optional(Type.String({ description: 'message.*' })),
    role: Type.Optional(Type.String({ description: 'message.started, message.finished' })),
    text: Type.Optional(Type.String({ description: 'message.delta: the next part; message.finished: the whole text' })),
    offset: Type.Optional(Type.Integer({ description: 'message.delta: where in the text the part begins' })),
    toolCallId: Type.Optional(Type.String({ description: 'tool.*' })),
    name: Type.Optional(Type.String({ description: 'tool.*: name of the tool' })),
    arguments: Type.Optional(anyValue),
    result: Type.Optional(anyValue),
    isError: Type.Optional(Type.Boolean({ description: 'tool.finished' })),
    durationMs: Type.Optional(Type.Number({ description: '*.finished' })),
    parentSpanId: optionalText,
    usage: Type.Optional(Usage),
    route: Type.Optional(Type.String({ description: 'usage.reported: ModelRoute of the call' })),
    model: Type.Optional(Type.String({ description: 'usage.reported' })),
    agent: Type.Optional(Type.String({ description: 'delegate.*: the agent that was called' })),
    runId: Type.Optional(Type.String({ description: 'delegate.*: the run of that agent' })),
    pauseReason: Type.Optional(PauseReason),
    interrupts: Type.Optional(Type.Array(Interrupt, { description: 'run.paused' })),
    interruptId: Type.Optional(Type.String({ description: 'interrupt.resolved' })),
    question: optionalText,
    output: Type.Optional(anyValue),
    failReason: Type.Optional(FailReason),
    message: Type.Optional(Type.String({ description: 'run.failed: what went wrong' })),
  },
  { additionalProperties: true, title: 'RunEventData', description: 'Which fields there are depends on `kind`.' },
)

/** `data` of one server-sent event of a run; `event` is its `kind`. */
export const RunEvent = Type.Object(
  {
    v: Type.Literal(1),
    seq: Type.Optional(Type.Integer({ description: 'Place in the journal; absent for parts of a text and stream.*.' })),
    runId: rowId,
    ts: time,
    kind: Type.Enum([...entryKinds], { title: 'RunEventKind' }),
    agent: Type.Union([Type.String(), Type.Null()]),
    path: Type.Array(Type.String()),
    spanId: textOrNull,
    data: runEventData,
  },
  {
    title: 'RunEvent',
    description: '`data` of a server-sent event of a run. Its `event` is the kind, its `id` the seq.',
  },
)
