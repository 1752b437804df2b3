import { Type } from 'typebox'
import type { Static } from 'typebox'
import { described } from '#schemas/values/described.ts'
import { defineEvent } from '#core/event-store/event.ts'
import type { EventType } from '#core/event-store/event.ts'
import { RunId as runId } from '#schemas/names/run-id.ts'
import { failReasons, pauseReasons } from '#schemas/runs/run.ts'

const oneOf = <const T extends readonly string[]>(values: T) => Type.Union(values.map((value) => Type.Literal(value)))
const auditedRun = (action: string) => ({ action, resourceKind: 'Run' })

const agent = Type.Object({
  namespace: Type.String({ description: 'Namespace of the agent.' }),
  name: Type.String({ description: 'Name of the agent.' }),
  uid: Type.String({ description: 'UID of the agent.' }),
  revision: described(
    Type.Union([Type.Integer(), Type.Null()]),
    'Revision of the agent when the run was created; null if unknown.',
  ),
})

const createdData = Type.Object({
  runId,
  agent: described(Type.Union([agent, Type.Null()]), 'Agent that runs; null for a run of the platform itself.'),
  executor: Type.Optional(Type.String({ description: 'Kind of a run without an agent.' })),
  namespaceUid: Type.String({ description: 'UID of the namespace.' }),
  conversationId: Type.String({ description: 'Conversation of the run.' }),
  rootRunId: runId,
  parentRunId: Type.Union([runId, Type.Null()]),
  trigger: described(
    Type.Object({
      kind: Type.String({ description: 'How it was started, such as invoke, api or delegate.' }),
      by: Type.String({ description: 'User or agent that started it.' }),
    }),
    'What started the run.',
  ),
  subject: Type.Optional(
    Type.String({
      description: 'Subject of the run; the actor is the agent if it delegated. Absent in older events.',
    }),
  ),
  traceId: Type.String({ description: 'Id of the trace, 32 lowercase hexadecimal digits.' }),
  labels: described(Type.Record(Type.String(), Type.String()), 'Labels of the run, by key.'),
})

const startedData = Type.Object({
  runId,
  epoch: Type.Integer({ description: 'Fencing token of the worker.' }),
  segment: Type.Integer({ description: 'Number of the segment, from 1.' }),
})

const requeuedData = Type.Object({
  runId,
  segment: Type.Integer({ description: 'Number of segments that were started.' }),
})

const waitingData = Type.Object({
  runId,
  reason: Type.String({
    description: 'Reason of the condition of the agent, such as ImagePullBackOff; NoReadyPod if it is Ready.',
  }),
})

const attachedData = Type.Object({
  runId,
  epoch: Type.Integer({ description: 'Fencing token of the worker.' }),
  agentRevision: Type.Integer({ description: 'Revision of the agent that serves the run from this event on.' }),
})

const pausedData = Type.Object({
  runId,
  pauseReason: described(oneOf(pauseReasons), 'Why the run is paused.'),
  interrupts: described(
    Type.Array(
      Type.Object({
        id: Type.String({ description: 'Id of the interrupt.' }),
        reason: described(oneOf(pauseReasons), 'Why the run waits.'),
        tool: Type.Optional(Type.String({ description: 'Name of the tool whose call waits for approval.' })),
      }),
    ),
    'Interrupts that the run waits for.',
  ),
})

const resolvedData = Type.Object({
  runId,
  interruptId: Type.String({ description: 'Id of the interrupt.' }),
  decision: described(
    Type.Union([Type.Literal('approve'), Type.Literal('reject'), Type.Null()]),
    'Decision of an approval; null for a question.',
  ),
  tool: Type.Optional(Type.String({ description: 'The tool whose call was decided.' })),
  decisionReason: Type.Optional(Type.String({ description: 'Reason given by the decider, on one line.' })),
  edited: Type.Optional(Type.Literal(true, { description: 'The decider replaced the arguments of the call.' })),
  onReject: Type.Optional(
    Type.Literal('answer', { description: 'The rejection was passed to the agent as the answer.' }),
  ),
  subject: Type.Optional(Type.String({ description: 'Subject of the run; the actor is the decider.' })),
})

const usageData = Type.Object({
  runId,
  agentUid: Type.String({ description: 'UID of the agent.' }),
  inputTokens: Type.Integer({ description: 'Input tokens of the call.' }),
  outputTokens: Type.Integer({ description: 'Output tokens of the call.' }),
  cachedTokens: Type.Integer({ description: 'Input tokens that were read from a cache.' }),
  reasoningTokens: Type.Integer({ description: 'Output tokens that were reasoning.' }),
  gateway: Type.Optional(
    Type.Boolean({
      description:
        'The launcher saw the response of the gateway, so the gateway meters the call. Absent: the agent reported it.',
    }),
  ),
})

/** A call that the gateway has not metered within this time after its report counts as unpriced. */
export const METERED_WITHIN_SECONDS = 60

const onlyRun = Type.Object({ runId })
const failedData = Type.Object({
  runId,
  failReason: described(oneOf(failReasons), 'Why the run failed or was rejected.'),
})

/** A run was queued. */
export const runCreated: EventType<Static<typeof createdData>> = defineEvent({
  plugin: 'runs',
  fact: 'created',
  summary: 'A run was created and queued.',
  data: createdData,
  audit: { ...auditedRun('create'), detail: ['subject', 'trigger.kind'] },
})

/** A worker is about to invoke the agent. The agent is never invoked again for this segment. */
export const runStarted: EventType<Static<typeof startedData>> = defineEvent({
  plugin: 'runs',
  fact: 'started',
  summary: 'A worker started a segment of the run.',
  data: startedData,
})

/** The agent was busy and refused the segment. The run waits in the queue. */
export const runRequeued: EventType<Static<typeof requeuedData>> = defineEvent({
  plugin: 'runs',
  fact: 'requeued',
  summary: 'The agent was busy with other runs; the run was requeued.',
  data: requeuedData,
})

/** The agent has no ready pod. One event for each reason, starting two seconds after the wait began. */
export const runWaiting: EventType<Static<typeof waitingData>> = defineEvent({
  plugin: 'runs',
  fact: 'waiting',
  summary: 'The run waits for an agent that is not ready.',
  data: waitingData,
})

/** The launcher reported the revision of its agent. The last event counts. */
export const runAttached: EventType<Static<typeof attachedData>> = defineEvent({
  plugin: 'runs',
  fact: 'attached',
  summary: 'A revision of the agent serves the run.',
  data: attachedData,
})

/** The run waits for an answer. */
export const runPaused: EventType<Static<typeof pausedData>> = defineEvent({
  plugin: 'runs',
  fact: 'paused',
  summary: 'The run waits for a decision or for input.',
  data: pausedData,
})

/** One interrupt was answered. */
export const interruptResolved: EventType<Static<typeof resolvedData>> = defineEvent({
  plugin: 'runs',
  fact: 'interrupt-resolved',
  summary: 'An interrupt of the run was decided.',
  data: resolvedData,
  audit: {
    ...auditedRun('resume'),
    actionFrom: { field: 'decision', values: ['approve', 'reject'] },
    detail: ['interruptId', 'decision', 'tool', 'decisionReason', 'edited', 'onReject', 'subject'],
  },
})

/** Every interrupt is answered. The run is running, and a worker starts its next segment. */
export const runResumed: EventType<Static<typeof onlyRun>> = defineEvent({
  plugin: 'runs',
  fact: 'resumed',
  summary: 'The run was resumed.',
  data: onlyRun,
})

/** A cancel was requested. */
export const cancelRequested: EventType<Static<typeof onlyRun>> = defineEvent({
  plugin: 'runs',
  fact: 'cancel-requested',
  summary: 'A cancel of the run was requested.',
  data: onlyRun,
  audit: auditedRun('cancel'),
})

/** Model usage of one call within the run: numbers and references only. */
export const usageReported: EventType<Static<typeof usageData>> = defineEvent({
  plugin: 'runs',
  fact: 'usage-reported',
  summary: 'Token usage was reported for the run.',
  data: usageData,
})

/** The run succeeded. */
export const runSucceeded: EventType<Static<typeof onlyRun>> = defineEvent({
  plugin: 'runs',
  fact: 'succeeded',
  summary: 'The run succeeded.',
  data: onlyRun,
})

/** The run failed. */
export const runFailed: EventType<Static<typeof failedData>> = defineEvent({
  plugin: 'runs',
  fact: 'failed',
  summary: 'The run failed.',
  data: failedData,
})

/** The agent's work has stopped after a cancel. */
export const runCancelled: EventType<Static<typeof onlyRun>> = defineEvent({
  plugin: 'runs',
  fact: 'cancelled',
  summary: 'The run was cancelled.',
  data: onlyRun,
})

/** The run exceeded its time. */
export const runTimedOut: EventType<Static<typeof onlyRun>> = defineEvent({
  plugin: 'runs',
  fact: 'timed-out',
  summary: 'The run exceeded its time.',
  data: onlyRun,
})

/** A person refused the approval, or it expired. */
export const runRejected: EventType<Static<typeof failedData>> = defineEvent({
  plugin: 'runs',
  fact: 'rejected',
  summary: 'An approval of the run was denied or expired.',
  data: failedData,
})

const deletedData = Type.Object({
  runId,
  traceId: Type.Optional(Type.String({ description: 'Trace of the run; absent in events of earlier versions.' })),
  erased: Type.Optional(
    Type.Object(
      {
        agentUid: Type.Union([Type.String(), Type.Null()], { description: 'UID of the agent; null without one.' }),
        conversationId: Type.String({ description: 'Conversation of the run.' }),
      },
      {
        description:
          'Present if the run was removed with all data of its subject, such as what its agent remembers of it.',
      },
    ),
  ),
})

/** Rows, journal and payloads of the run were removed. */
export const runDeleted: EventType<Static<typeof deletedData>> = defineEvent({
  plugin: 'runs',
  fact: 'deleted',
  summary: 'The run and its content were removed.',
  data: deletedData,
  audit: auditedRun('delete'),
})

/** Every event that `runs` publishes. */
export const runEvents: readonly EventType[] = [
  runCreated,
  runStarted,
  runRequeued,
  runWaiting,
  runAttached,
  runPaused,
  interruptResolved,
  runResumed,
  cancelRequested,
  usageReported,
  runSucceeded,
  runFailed,
  runCancelled,
  runTimedOut,
  runRejected,
  runDeleted,
]
