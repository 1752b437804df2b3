import { Type } from 'typebox'
import { CONVERSATION_ID_PATTERN } from '../conversation-id.ts'
import { durationBounds } from '../duration.ts'
import { DNS_LABEL_PATTERN, DNS_NAME_PATTERN, durationText } from '../parts.ts'
import { RunId } from '../run-id.ts'
import { failReasons, pauseReasons, runStates } from '../run.ts'
import { shownAs } from '../shown-as.ts'
import { anyValue, listOf, Money, namespaceQuery, openObject, pageQuery, scope, time, timeOrNull } from './common.ts'

const strict = { additionalProperties: false }
const textOrNull = Type.Union([Type.String(), Type.Null()])

/** States of a run. */
export const RunState = Type.Enum([...runStates], { title: 'RunState' })

/** Why a run is paused. */
export const PauseReason = Type.Enum([...pauseReasons], { title: 'PauseReason' })

/** Why a run failed or was rejected. */
export const FailReason = Type.Enum([...failReasons], { title: 'FailReason' })

const conversationId = Type.String({ minLength: 1, maxLength: 128, pattern: CONVERSATION_ID_PATTERN })

const agentName = Type.Object(
  {
    namespace: Type.String({ maxLength: 63, pattern: DNS_LABEL_PATTERN }),
    name: Type.String({ maxLength: 253, pattern: DNS_NAME_PATTERN }),
  },
  { ...strict, title: 'AgentName' },
)

/** An interrupt that a paused run waits for. */
export const Interrupt = Type.Object(
  {
    id: Type.String(),
    reason: PauseReason,
    tool: Type.Optional(Type.String()),
    toolCallId: Type.Optional(Type.String({ description: 'The call that waits for approval.' })),
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

/** Error of a run. */
export const RunError = Type.Object(
  {
    code: Type.String({ description: 'The fail reason, or timed_out.' }),
    message: Type.Optional(Type.String({ description: 'Absent in lists.' })),
  },
  { title: 'RunError' },
)

const cost = (description: string) => Type.Union([Money, Type.Null()], { description })

/** What the model calls of a run cost. */
export const runCosts = {
  cost: cost('Cost of the metered model calls. Null without a priced call, or with calls in several currencies.'),
  treeCost: cost('`cost` of the run and of all runs below it. Null for trees of more than 10,000 runs, too.'),
  unpricedCalls: Type.Integer({ description: 'Model calls of the run whose cost is unknown.' }),
  pendingCalls: Type.Integer({ description: 'Model calls of the run that are answered and not metered yet.' }),
}

/** A run. `agent` is null for runs of the platform itself, such as an export. */
export const Run = Type.Object(
  {
    id: RunId,
    agent: Type.Union([
      Type.Object({
        namespace: Type.String(),
        name: Type.String(),
        revision: Type.Union([Type.Integer(), Type.Null()]),
      }),
      Type.Null(),
    ]),
    executor: Type.Optional(Type.String({ description: 'Kind of a run without an agent, such as an export.' })),
    conversationId: textOrNull,
    rootRunId: RunId,
    parentRunId: Type.Union([RunId, Type.Null()]),
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
    input: Type.Optional({ ...anyValue, description: 'Input. Absent in lists.' }),
    output: Type.Optional({ ...anyValue, description: 'Output, or null if the run has none. Absent in lists.' }),
    error: Type.Union([RunError, Type.Null()]),
    usage: Usage,
    ...runCosts,
    traceId: textOrNull,
    createdAt: time,
    startedAt: timeOrNull,
    finishedAt: timeOrNull,
    labels: Type.Record(Type.String(), Type.String()),
  },
  { title: 'Run' },
)

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

/** Response of `POST /api/invoke`, whether the run ended in time (200) or not (202). */
export const InvokedRun = Type.Object(
  { ...Run.properties, runId: { ...RunId, description: 'The same value as `id`.' } },
  { title: 'InvokedRun' },
)

/** Path of the routes of one run; any text, since a malformed id is answered like an unknown one. */
export const RunParams = Type.Object({ id: shownAs(Type.String({ maxLength: 1024 }), RunId) })

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
        description:
          'A rejection ends the run (end, the default) or is returned to the agent, which continues (answer).',
      }),
    ),
  },
  { ...strict, title: 'ResumeInput' },
)
