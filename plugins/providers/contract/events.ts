import { Type } from 'typebox'
import type { Static } from 'typebox'
import { defineEvent } from '#core/event-store/event.ts'
import type { EventType } from '#core/event-store/event.ts'
import { RunId } from '#schemas/names/run-id.ts'

const nullable = (description: string) => Type.Union([Type.String(), Type.Null()], { description })
const count = (description: string) => Type.Integer({ minimum: 0, description })

const meteredData = Type.Object({
  operation: Type.Union([Type.Literal('chat/completions'), Type.Literal('embeddings')], {
    description: 'API of the call.',
  }),
  route: Type.Object(
    {
      namespace: Type.String({ description: 'Namespace of the route.' }),
      name: Type.String({ description: 'Name of the route.' }),
      uid: Type.String({ description: 'UID of the route.' }),
    },
    { description: 'ModelRoute of the call.' },
  ),
  provider: Type.String({ description: 'namespace/name of the ModelProvider that answered.' }),
  model: Type.String({ description: 'Model id at the provider.' }),
  agentUid: nullable('The agent, when a pod called or an agent pays.'),
  runId: Type.Union([RunId, Type.Null()], { description: 'The run, when the pod named one of its own.' }),
  payer: Type.Optional(
    Type.Object(
      {
        namespace: Type.String({ description: 'Namespace that pays.' }),
        namespaceUid: nullable('Uid of the namespace, when it pays itself.'),
        agent: nullable('Name of the agent that pays.'),
      },
      { description: 'Who pays for a call of a role of the platform. Absent for all other calls.' },
    ),
  ),
  failed: Type.Optional(
    Type.Array(
      Type.Object({
        provider: Type.String({ description: 'namespace/name of the ModelProvider.' }),
        reason: Type.String({ description: 'Class of the failure, such as `timeout` or `key_refused`.' }),
      }),
      { description: 'Attempts that failed, in their order; the call may have succeeded at a later provider.' },
    ),
  ),
  attempts: Type.Optional(
    count('Attempts at targets of the route, with the one that answered. Absent in older events.'),
  ),
  status: Type.Integer({ description: 'HTTP status of the response to the client.' }),
  streamed: Type.Boolean({ description: 'Whether the client requested a stream.' }),
  usageReported: Type.Boolean({
    description: 'False if the provider reported no usage. The counts are 0 then, unless they are estimated.',
  }),
  usageEstimated: Type.Optional(
    Type.Literal(true, {
      description:
        'The stream was closed before it reported usage: the counts are an estimate from what was received. Absent: no estimate.',
    }),
  ),
  inputTokens: count('Prompt tokens.'),
  outputTokens: count('Completion tokens.'),
  cachedTokens: count('Prompt tokens that were cached.'),
  reasoningTokens: count('Completion tokens that were reasoning.'),
  cacheWriteTokens: Type.Optional(count('Prompt tokens that were written to a cache. Absent: none.')),
  cacheWrite1hTokens: Type.Optional(count('Written tokens that the cache keeps for an hour. Absent: none.')),
  cost: Type.Optional(
    Type.Union(
      [
        Type.Object({
          amount: Type.String({ description: 'Decimal string with at most six places.' }),
          currency: Type.String({ description: 'ISO 4217 code.' }),
          price: Type.String({ description: 'The price that applied, with its version: `route@3`, `settings`.' }),
        }),
        Type.Null(),
      ],
      {
        description:
          'Null if usage or price is unknown; based on the estimate if there is one; 0 for a call that was refused. Absent in older events.',
      },
    ),
  ),
  decisions: Type.Optional(
    Type.Array(
      Type.Object({
        policy: Type.String({ description: 'namespace/name of the object that has the rule.' }),
        rule: Type.String({ description: 'Name of the rule.' }),
        check: Type.String({ description: 'Kind of the rule.' }),
        stage: Type.String({ description: 'What the rule saw: request, response or tool_call.' }),
        action: Type.String({ description: 'What it did: allow, mask, block or require_approval.' }),
        count: count('Number of matches.'),
      }),
      {
        description: 'Decisions of the filters of the gateway. Absent: none, or a launcher applied the rules.',
      },
    ),
  ),
  durationMs: count('Time from the request to the end of the response.'),
  firstByteMs: count('Time from the request to the response headers.'),
})

/** See {@link modelCallMetered}. */
export type MeteredModelCall = Static<typeof meteredData>

/** A completed model call of the gateway: numbers and references, never content. */
export const modelCallMetered: EventType<MeteredModelCall> = defineEvent({
  plugin: 'providers',
  fact: 'model-call-metered',
  summary: 'A model call went through the gateway.',
  data: meteredData,
})

const refusedData = Type.Object({
  filter: Type.String({ description: 'Name of the filter.' }),
  stage: Type.Union([Type.Literal('open'), Type.Literal('request'), Type.Literal('text'), Type.Literal('tool_call')], {
    description: 'What the filter decided about; `open` is whether it applies.',
  }),
  outcome: Type.Union([Type.Literal('refused'), Type.Literal('failed'), Type.Literal('timed_out')], {
    description: 'Refused by decision, or because a filter that fails closed has failed.',
  }),
  code: Type.String({ description: 'Error code of the response, as declared by the plugin of the filter.' }),
  operation: meteredData.properties.operation,
  streamed: Type.Boolean({ description: 'Whether the client requested a stream.' }),
  agentUid: nullable('The agent, when a pod called.'),
  runId: meteredData.properties.runId,
})

/** See {@link modelCallRefused}. */
export type RefusedModelCall = Static<typeof refusedData>

/** A filter ended a model call: names and codes, never content. */
export const modelCallRefused: EventType<RefusedModelCall> = defineEvent({
  plugin: 'providers',
  fact: 'model-call-refused',
  summary: 'A filter refused a model call or its response.',
  data: refusedData,
})
