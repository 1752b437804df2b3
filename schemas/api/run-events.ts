import { Type } from 'typebox'
import { described, exemplified } from '../values/described.ts'
import { RunId } from '../names/run-id.ts'
import { entryKinds } from '../runs/run.ts'
import { componentRef, shownAs } from '../values/shown-as.ts'
import { anyObject, anyValue, Money, openObject, time } from './common.ts'
import { spanContentOrNull } from './span-content.ts'
import { FailReason, Interrupt, PauseReason, runCosts, Usage } from './runs.ts'

/** A node of the tree of a run. */
export const TreeNode = Type.Object(
  {
    spanId: Type.String({ description: 'Unique within the tree.', examples: ['00f067aa0ba902b7'] }),
    kind: described(
      Type.Enum(['run', 'step', 'message', 'model', 'tool', 'delegate', 'interrupt', 'guardrail']),
      'What the node is.',
      'run',
    ),
    name: Type.String({ description: 'Name of the agent, step, tool or route.', examples: ['hello'] }),
    startedAt: described(time, 'Start time.'),
    durationMs: described(
      Type.Union([Type.Number(), Type.Null()]),
      'Duration in milliseconds; null while it is running.',
      840,
    ),
    status: described(Type.Enum(['ok', 'error', 'running', 'paused', 'queued']), 'State of the node.', 'ok'),
    attributes: exemplified(
      openObject('What the entries of the span say, such as `route`, `model`, `arguments` or `result`.'),
      { 'run.state': 'succeeded' },
    ),
    usage: described(
      Type.Union([Usage, Type.Null()]),
      'Tokens of a model call, or of the run; null for other nodes.',
      null,
    ),
    cost: described(
      Type.Union([Money, Type.Null()]),
      'Cost of a model call as the launcher knows it, or of the run; null if it is unknown.',
      null,
    ),
    error: described(
      Type.Union([
        Type.Object(
          {
            code: Type.String({ description: 'Code of the error, such as model_error.', examples: ['tool_error'] }),
            message: Type.String({ description: 'What failed; empty without a message.', examples: ['timed out'] }),
          },
          { title: 'NodeError' },
        ),
        Type.Null(),
      ]),
      'Why the node failed; null unless it did.',
      null,
    ),
    runId: described(
      Type.Union([RunId, Type.Null()]),
      'The run itself, or the child run of a delegation; null for other nodes.',
      null,
    ),
    content: spanContentOrNull,
    children: described(
      Type.Array(shownAs(anyObject, componentRef('TreeNode'))),
      'Child nodes, in the order in which they started.',
      [],
    ),
  },
  { title: 'TreeNode', description: 'A run, or a part of one, with the nodes below it.' },
)

/** Query of `GET /api/runs/{id}/tree`. */
export const RunTreeQuery = Type.Object(
  {
    after: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 2_147_483_647,
        description: '`nextAfter` of the previous response; the tree contains the journal entries after it.',
      }),
    ),
  },
  { additionalProperties: false },
)

/** Response of `GET /api/runs/{id}/tree`: at most 10,000 journal entries or 16 MiB. */
export const RunTree = Type.Object(
  {
    root: TreeNode,
    truncated: Type.Boolean({
      description: 'True if the journal continues; nodes without an end in this part are then `running`.',
      examples: [false],
    }),
    nextAfter: exemplified(
      Type.Union([Type.Integer(), Type.Null()], {
        description: '`after` of the next part; null when the tree is complete.',
      }),
      null,
    ),
    spanCount: Type.Integer({
      description: 'Nodes of the whole tree, also of other parts; at most those of 100,000 journal entries.',
      examples: [4],
    }),
    errorSpanIds: described(
      Type.Array(Type.String()),
      'The first nodes with errors of the whole tree, at most 20, without the root.',
      [],
    ),
    ...runCosts,
  },
  { title: 'RunTree' },
)

const optionalText = Type.Optional(Type.String())

// One object for all kinds: agents add their own fields, which a union of 28 kinds could not describe.
const runEventData = Type.Object(
  {
    step: Type.Optional(Type.Integer({ description: 'step.*', examples: [1] })),
    messageId: Type.Optional(Type.String({ description: 'message.*' })),
    role: Type.Optional(Type.String({ description: 'message.started, message.finished' })),
    text: Type.Optional(Type.String({ description: 'message.delta: the next part; message.finished: the whole text' })),
    offset: Type.Optional(Type.Integer({ description: 'message.delta: where in the text the part begins' })),
    toolCallId: Type.Optional(Type.String({ description: 'tool.*' })),
    name: Type.Optional(Type.String({ description: 'tool.*: name of the tool' })),
    arguments: Type.Optional(described(anyValue, 'tool.started, interrupt.requested: arguments of the call')),
    result: Type.Optional(described(anyValue, 'tool.finished: result of the tool')),
    isError: Type.Optional(Type.Boolean({ description: 'tool.finished' })),
    durationMs: Type.Optional(Type.Number({ description: '*.finished' })),
    parentSpanId: described(optionalText, 'Parent span, 16 lowercase hexadecimal digits.'),
    usage: Type.Optional(Usage),
    route: Type.Optional(Type.String({ description: 'usage.reported: ModelRoute of the call' })),
    model: Type.Optional(Type.String({ description: 'usage.reported' })),
    cost: Type.Optional(
      Type.Object(
        {
          amount: Type.String({ description: 'A decimal number.' }),
          currency: Type.String({ description: 'ISO 4217 code.' }),
        },
        { title: 'ModelCallCost', description: 'usage.reported: what the call cost an agent with a budget.' },
      ),
    ),
    error: Type.Optional(
      Type.Object(
        {
          code: Type.String({ description: 'Error code from the gateway, or model_error.' }),
          message: Type.String({ description: 'What went wrong.' }),
          status: Type.Optional(
            Type.Integer({ description: 'HTTP status of the gateway; absent without a response.' }),
          ),
          provider: Type.Optional(
            Type.String({ description: 'namespace/name of the ModelProvider that was called last.' }),
          ),
        },
        { title: 'ModelCallError', description: 'usage.reported: why the model call failed or was refused.' },
      ),
    ),
    agent: Type.Optional(Type.String({ description: 'delegate.*: the agent that was called' })),
    runId: Type.Optional(Type.String({ description: 'delegate.*: the run of that agent' })),
    pauseReason: Type.Optional(PauseReason),
    interrupts: Type.Optional(Type.Array(Interrupt, { description: 'run.paused' })),
    interruptId: Type.Optional(Type.String({ description: 'interrupt.resolved' })),
    question: described(optionalText, 'interrupt.requested: question to a person'),
    output: Type.Optional(described(anyValue, 'run.succeeded: output of the run')),
    failReason: Type.Optional(FailReason),
    reason: Type.Optional(
      Type.String({ description: 'run.waiting: why the agent is not ready, such as ImagePullBackOff' }),
    ),
    message: Type.Optional(
      Type.String({
        description: 'run.failed: what went wrong; run.waiting: what the run waits for; run.progress: the current step',
      }),
    ),
    done: Type.Optional(Type.Number({ description: 'run.progress: finished units', examples: [120] })),
    total: Type.Optional(Type.Number({ description: 'run.progress: all units, if known', examples: [400] })),
  },
  {
    additionalProperties: true,
    title: 'RunEventData',
    examples: [{ step: 1 }],
    description: 'Which fields there are depends on `kind`.',
  },
)

/** `data` of one server-sent event of a run; `event` is its `kind`. */
export const RunEvent = Type.Object(
  {
    v: described(Type.Literal(1), 'Version of the format.'),
    seq: Type.Optional(
      Type.Integer({
        description: 'Position in the journal; absent for parts of a text, run.progress and stream.*.',
        examples: [3],
      }),
    ),
    runId: RunId,
    ts: described(time, 'Time of the entry.'),
    kind: described(
      Type.Enum([...entryKinds], { title: 'RunEventKind', description: 'Kind of an entry.' }),
      'Kind of the entry.',
      'step.started',
    ),
    agent: described(
      Type.Union([Type.String(), Type.Null()]),
      'Name of the agent that the entry is of; null for the platform.',
      'hello',
    ),
    path: described(Type.Array(Type.String()), 'Names of the agents from the root run to this one.', ['hello']),
    spanId: described(
      Type.Union([Type.String(), Type.Null()]),
      'Span of the entry, 16 lowercase hexadecimal digits; null without one.',
      '00f067aa0ba902b7',
    ),
    data: runEventData,
  },
  {
    title: 'RunEvent',
    description: '`data` of a server-sent event of a run. Its `event` is the kind, its `id` the seq.',
  },
)

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
  { additionalProperties: false },
)
