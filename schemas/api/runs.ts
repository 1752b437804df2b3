import { Type } from 'typebox'
import { described, exemplified } from '../values/described.ts'
import { RunId } from '../names/run-id.ts'
import { failReasons, MAX_COUNTED_CHILDREN, pauseReasons, runStates } from '../runs/run.ts'
import { anyValue, listOf, Money, openObject, time, timeOrNull } from './common.ts'

const textOrNull = Type.Union([Type.String(), Type.Null()])

/** States of a run. */
export const RunState = Type.Enum([...runStates], {
  title: 'RunState',
  description: 'State of a run; the last five are final.',
  examples: ['succeeded'],
})

/** Why a run is paused. */
export const PauseReason = Type.Enum([...pauseReasons], { title: 'PauseReason', description: 'Why a run is paused.' })

/** Why a run failed or was rejected. */
export const FailReason = Type.Enum([...failReasons], {
  title: 'FailReason',
  description: 'Why a run failed or was rejected.',
})

/** An interrupt that a paused run waits for. */
export const Interrupt = Type.Object(
  {
    id: Type.String({ description: 'Id of the interrupt, unique in the run.', examples: ['tap_01'] }),
    reason: PauseReason,
    tool: Type.Optional(
      Type.String({ description: 'Name of the tool whose call waits for approval.', examples: ['send_mail'] }),
    ),
    toolCallId: Type.Optional(Type.String({ description: 'The call that waits for approval.', examples: ['call_1'] })),
    arguments: Type.Optional(described(anyValue, 'Arguments of the call.', { to: 'ada@example.com' })),
    question: Type.Optional(Type.String({ description: 'Question of the agent, where it waits for input.' })),
    schema: Type.Optional(
      described(anyValue, 'JSON Schema of the arguments of the call, or of the response to the question.'),
    ),
    hints: Type.Optional(
      Type.Object(
        {
          readOnly: Type.Boolean({ description: 'The tool changes nothing.', examples: [false] }),
          destructive: Type.Boolean({ description: 'A change may destroy something.', examples: [true] }),
        },
        {
          title: 'ToolHints',
          description: 'Hints of the server of the tool; its defaults if it gives none. Absent in lists.',
        },
      ),
    ),
    policy: Type.Optional(
      Type.Object(
        {
          kind: Type.String({ description: 'Kind of the object.', examples: ['McpToolBinding'] }),
          name: Type.String({ description: 'namespace/name', examples: ['demo/mail'] }),
          rule: Type.Optional(Type.String({ description: 'Name of the rule.', examples: ['no-secrets'] })),
        },
        { title: 'InterruptPolicy', description: 'Object whose rule asks for the approval. Absent in lists.' },
      ),
    ),
    consent: Type.Optional(
      Type.Object(
        {
          namespace: Type.String({ description: 'Namespace of the MCP server.', examples: ['demo'] }),
          server: Type.String({ description: 'Name of the MCP server.', examples: ['tickets'] }),
          path: Type.String({
            description: 'Page of the console that asks for the consent.',
            examples: ['/consent/demo/tickets?run=0198c3f0-6f2a-7c1d-9b1e-5a4d3c2b1a08'],
          }),
        },
        {
          title: 'WantedConsent',
          description:
            'MCP server that needs the consent of the subject of the run; the run resumes with it. Absent in lists.',
        },
      ),
    ),
    askedAt: Type.Optional(described(time, 'Time of the pause; set while the run is paused.')),
    expiresAt: Type.Optional(
      described(time, 'Time from which the run is removed if it is still paused; set while it is paused.'),
    ),
  },
  { title: 'Interrupt' },
)

/** The answer to an interrupt. */
export const Decision = Type.Object(
  {
    interruptId: Type.String({ description: 'Id of the interrupt.', examples: ['tap_01'] }),
    tool: described(
      Type.Union([Type.String(), Type.Null()]),
      'Name of the tool whose call was decided; null for a question.',
      'send_mail',
    ),
    decision: exemplified(
      Type.Union([Type.Enum(['approve', 'reject']), Type.Null()], {
        description: 'Null for the answer to a question.',
      }),
      'approve',
    ),
    by: Type.String({ description: 'Who decided.', examples: ['ada@example.com'] }),
    at: described(time, 'Time of the decision.'),
    reason: Type.Optional(
      Type.String({ description: 'Reason that was given.', examples: ['The recipient is right.'] }),
    ),
    arguments: Type.Optional(openObject('Arguments that replaced those of the model.')),
    onReject: Type.Optional(described(Type.Literal('answer'), 'Set if the agent was to go on after the rejection.')),
  },
  { title: 'Decision' },
)

/** Tokens of a run. */
export const Usage = Type.Object(
  {
    inputTokens: Type.Integer({ description: 'Input tokens of all model calls.', examples: [21] }),
    outputTokens: Type.Integer({ description: 'Output tokens of all model calls.', examples: [9] }),
    cachedTokens: Type.Integer({ description: 'Input tokens that were read from a cache.', examples: [0] }),
    reasoningTokens: Type.Integer({ description: 'Output tokens that were reasoning.', examples: [0] }),
  },
  { title: 'Usage', description: 'Tokens of the model calls that were reported.' },
)

/** Error of a run. */
export const RunError = Type.Object(
  {
    code: Type.String({ description: 'The fail reason, or timed_out.', examples: ['agent_error'] }),
    message: Type.Optional(Type.String({ description: 'Message of the error; in lists its first 500 characters.' })),
  },
  { title: 'RunError' },
)

const cost = (description: string) => Type.Union([Money, Type.Null()], { description })

/** Costs of the model calls of a run. */
export const runCosts = {
  cost: cost('Cost of the metered model calls. Null without a priced call, or with calls in several currencies.'),
  treeCost: cost('`cost` of the run and of all runs below it. Null for trees of more than 10,000 runs, too.'),
  unpricedCalls: Type.Integer({ description: 'Model calls of the run whose cost is unknown.', examples: [0] }),
  pendingCalls: Type.Integer({
    description: 'Model calls of the run that are answered and not metered yet.',
    examples: [0],
  }),
}

/** The agent of a run. */
export const agentOfRun = described(
  Type.Union([
    Type.Object({
      namespace: Type.String({ description: 'Namespace of the agent.', examples: ['default'] }),
      name: Type.String({ description: 'Name of the agent.', examples: ['hello'] }),
      revision: described(
        Type.Union([Type.Integer(), Type.Null()]),
        'Revision of the agent that serves the run; null until one does.',
        1,
      ),
    }),
    Type.Null(),
  ]),
  'Agent of the run; null for a run of the platform itself.',
)

const milliseconds = (description: string, example: number) =>
  exemplified(Type.Union([Type.Integer(), Type.Null()], { description: `${description} In milliseconds.` }), example)

const preview = (of: string, example: string) =>
  exemplified(
    Type.Union([Type.String({ maxLength: 120 }), Type.Null()], {
      description: `In lists: the beginning of the ${of} as one line, without secrets and what the trace policy of the agent redacts. Null without ${of}, or if the policy hides content.`,
    }),
    example,
  )

/** A run. `agent` is null for runs of the platform itself, such as an export. */
export const Run = Type.Object(
  {
    id: RunId,
    agent: agentOfRun,
    executor: Type.Optional(Type.String({ description: 'Kind of a run without an agent, such as an export.' })),
    conversationId: described(
      textOrNull,
      'Conversation of the run; null for a run of the platform itself.',
      '0198c3f0-6f2a-7c1d-9b1e-5a4d3c2b1a01',
    ),
    rootRunId: RunId,
    parentRunId: described(Type.Union([RunId, Type.Null()]), 'Run that delegated to this one; null for a root.', null),
    trigger: described(
      Type.Object({
        kind: Type.String({
          description: 'How it was started, such as invoke, api or delegate.',
          examples: ['invoke'],
        }),
        by: Type.String({ description: 'User or agent that started it.', examples: ['ada@example.com'] }),
      }),
      'What started the run.',
    ),
    subject: Type.String({
      description: 'Subject of the run, with whose rights the agent acts.',
      examples: ['ada@example.com'],
    }),
    decidedBy: exemplified(
      Type.Union([Type.String(), Type.Null()], { description: 'Who answered the last interrupt.' }),
      null,
    ),
    state: RunState,
    pauseReason: described(Type.Union([PauseReason, Type.Null()]), 'Why the run is paused; null unless it is.', null),
    failReason: described(
      Type.Union([FailReason, Type.Null()]),
      'Why the run failed or was rejected; null unless it did.',
      null,
    ),
    waitReason: Type.Optional(
      Type.Object(
        {
          code: described(Type.Literal('agent_not_ready'), 'Kind of the reason.', 'agent_not_ready'),
          reason: Type.Optional(
            Type.String({
              description: 'Reason of the condition of the agent; NoReadyPod if it is Ready.',
              examples: ['ImagePullBackOff'],
            }),
          ),
          message: Type.String({
            description:
              'What the run waits for. `GET /api/runs/{id}` adds the text of the condition for callers that may get the agent.',
            examples: ['Waits for agent default/hello: the image of its pod cannot be pulled (ImagePullBackOff).'],
          }),
        },
        { description: 'Why a run has waited for its agent for more than two seconds.' },
      ),
    ),
    interrupts: described(Type.Array(Interrupt), 'Interrupts that the run waits for; empty unless it is paused.', []),
    decisions: Type.Optional(
      exemplified(
        Type.Array(Decision, { description: 'Answers to the interrupts of the run, oldest first; absent in lists.' }),
        [],
      ),
    ),
    input: Type.Optional(exemplified({ ...anyValue, description: 'Input. Absent in lists.' }, 'My name is Ada.')),
    output: Type.Optional(
      exemplified(
        { ...anyValue, description: 'Output, or null if the run has none. Absent in lists.' },
        'Good day, Ada.',
      ),
    ),
    inputPreview: Type.Optional(preview('input', 'My name is Ada.')),
    outputPreview: Type.Optional(preview('output', 'Good day, Ada.')),
    error: described(
      Type.Union([RunError, Type.Null()]),
      'Error of the run; null unless it failed, was rejected or timed out.',
      null,
    ),
    usage: Usage,
    ...runCosts,
    traceId: described(
      textOrNull,
      'Id of the trace, 32 lowercase hexadecimal digits; null before the start.',
      '4bf92f3577b34da6a3ce929d0e0e4736',
    ),
    createdAt: described(time, 'Time when the run was accepted.'),
    startedAt: described(timeOrNull, 'Time of the first invocation of the agent; null before.'),
    finishedAt: described(timeOrNull, 'Time of the outcome; null before.'),
    durationMs: milliseconds(
      'Time from the start to the end; null for a run that has not ended, or was never started.',
      840,
    ),
    firstTokenMs: milliseconds('Time from the start to the first text of the agent; null before.', 210),
    modelCalls: Type.Integer({ description: 'Model calls of the run, as far as they are known.', examples: [2] }),
    toolCalls: Type.Integer({ description: 'Tool calls of the run.', examples: [1] }),
    childRuns: Type.Integer({
      description: `Runs that this one started itself, in any namespace, counted up to ${MAX_COUNTED_CHILDREN}.`,
      examples: [0],
    }),
    queueMs: milliseconds('Time from the creation to the start; null before.', 12),
    labels: described(Type.Record(Type.String(), Type.String()), 'Labels that the caller gave, by key.', {
      ticket: '4711',
    }),
  },
  { title: 'Run', description: 'A run of an agent, or of the platform itself.' },
)

/** A page of runs. */
export const RunList = Type.Object(
  {
    ...listOf(Run).properties,
    total: Type.Optional(
      Type.Integer({
        description: 'Number of runs in all pages, counted up to 10000, if the query asks for it.',
        examples: [42],
      }),
    ),
  },
  { title: 'RunList' },
)
