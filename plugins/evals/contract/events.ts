import { Type } from 'typebox'
import type { Static } from 'typebox'
import { defineEvent } from '#core/event-store/event.ts'
import type { EventType } from '#core/event-store/event.ts'

const evaluated = {
  evaluationId: Type.String({ description: 'Id of the evaluation, which is that of its run.' }),
  agent: Type.String({ description: 'Name of the agent.' }),
  agentUid: Type.String({ description: 'UID of the agent.' }),
  revision: Type.Integer({ description: 'Number of the revision.' }),
}

const requestedData = Type.Object({
  ...evaluated,
  origin: Type.String({ description: 'request or gate.' }),
})
const finishedData = Type.Object({
  ...evaluated,
  phase: Type.String({ description: 'Passed, Failed, Inconclusive, Error or Cancelled.' }),
  reason: Type.String({ description: 'Why it has this phase, in CamelCase.' }),
  score: Type.Union([Type.Number(), Type.Null()], { description: 'Score of the revision; null without one.' }),
})
const overriddenData = Type.Object({
  agent: evaluated.agent,
  agentUid: evaluated.agentUid,
  revision: evaluated.revision,
  decisionReason: Type.String({ description: 'Reason given by the person, on one line.' }),
})

/** An evaluation was requested by a person or a gate. Its subject is the suite. */
export const evaluationRequested: EventType<Static<typeof requestedData>> = defineEvent({
  plugin: 'evals',
  fact: 'evaluation-requested',
  summary: 'An evaluation of a revision was requested.',
  data: requestedData,
  audit: { action: 'evaluate', resourceKind: 'EvalSuite' },
})

/** An evaluation ended. */
export const evaluationFinished: EventType<Static<typeof finishedData>> = defineEvent({
  plugin: 'evals',
  fact: 'evaluation-finished',
  summary: 'An evaluation of a revision ended.',
  data: finishedData,
  audit: { action: 'score', resourceKind: 'EvalSuite' },
})

/** A person let a revision serve that has not passed. */
export const gateOverridden: EventType<Static<typeof overriddenData>> = defineEvent({
  plugin: 'evals',
  fact: 'gate-overridden',
  summary: 'A revision may serve although it has not passed its evaluation.',
  data: overriddenData,
  audit: { action: 'override', resourceKind: 'EvalSuite', detail: ['decisionReason', 'agent', 'revision'] },
})

const scoredData = Type.Object({
  runId: Type.String({ format: 'uuid', description: 'The run.' }),
  agentUid: evaluated.agentUid,
  suite: Type.String({ description: 'Suite that scores runs of the agent.' }),
  scores: Type.Array(
    Type.Object({
      evaluator: Type.String({ description: 'Name of the evaluator in the suite.' }),
      score: Type.Number({ description: 'Score from 0 to 1.' }),
    }),
    { description: 'Scores by evaluator.' },
  ),
})

/** A run in production was scored. Numbers and references only. Its subject is the agent. */
export const runScored: EventType<Static<typeof scoredData>> = defineEvent({
  plugin: 'evals',
  fact: 'run-scored',
  summary: 'A run in production was scored.',
  data: scoredData,
  seenBy: { verb: 'get', resource: 'evalresults' },
})

/** Events of the plugin. */
export const evalEvents: readonly EventType[] = [evaluationRequested, evaluationFinished, gateOverridden, runScored]
