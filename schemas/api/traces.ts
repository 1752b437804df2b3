import { Type } from 'typebox'
import type { Static } from 'typebox'
import { described, exemplified } from '../values/described.ts'
import { tracePolicy } from '../crds/agent-observation.ts'
import { TRACE_ID_PATTERN } from '../launcher/feedback.ts'
import { durationText } from '../kinds/parts.ts'
import { durationBounds } from '../values/duration.ts'
import { RunId } from '../names/run-id.ts'
import { componentRef, shownAs } from '../values/shown-as.ts'
import { runCosts } from './runs.ts'
import { spanContentOrNull } from './span-content.ts'
import { anyObject, listOf, namespaceQuery, openObject, pageQuery, scope, time } from './common.ts'

const strict = { additionalProperties: false }
const traceId = Type.String({
  pattern: TRACE_ID_PATTERN,
  description: 'Id of a trace: 32 lowercase hexadecimal digits.',
  examples: ['4bf92f3577b34da6a3ce929d0e0e4736'],
})
const textOrNull = Type.Union([Type.String(), Type.Null()])
const agent = {
  namespace: Type.String({ description: 'Namespace of the agent.', examples: ['default'] }),
  name: Type.String({ description: 'Name of the agent.', examples: ['hello'] }),
}

/** Path of the routes of one trace. */
export const TraceParams = Type.Object({
  id: Type.Union([traceId, RunId], { description: 'Id of a trace, or of a run of it.' }),
})

const costs = Type.Union([Type.Object(runCosts, { title: 'RunCosts' }), Type.Null()], {
  description: 'Cost of the run and of those below it; null without a run.',
})

const head = {
  traceId,
  run: Type.Union(
    [
      Type.Object({
        id: RunId,
        namespace: Type.String({ description: 'Namespace of the run.', examples: ['default'] }),
        agent: described(textOrNull, 'Name of the agent of the run; null for a run of the platform itself.', 'hello'),
      }),
      Type.Null(),
    ],
    {
      description: 'The run of the path, else the oldest run that the caller may get; null for a trace without a run.',
    },
  ),
  costs,
  link: exemplified(
    Type.Union([Type.String(), Type.Null()], {
      description: 'URL in the OTLP backend, from the setting `traces.link`.',
    }),
    null,
  ),
}

/** Response of `GET /api/traces/{id}`. */
export const TraceSummary = Type.Object(
  {
    ...head,
    spans: Type.Integer({
      description: 'Stored spans that the caller may read; a repeated span counts again.',
      examples: [4],
    }),
    agents: Type.Array(
      Type.Object({ ...agent, spans: Type.Integer({ description: 'Stored spans of the agent.', examples: [4] }) }),
      { description: 'Agents with stored spans.' },
    ),
  },
  { title: 'Trace' },
)

const spanEvent = Type.Object({
  name: Type.String({ description: 'Name of the event.', examples: ['exception'] }),
  at: described(time, 'Time of the event.'),
  attributes: exemplified(openObject('As the sender set them, within the trace policy of the agent.'), {
    'exception.type': 'TimeoutError',
  }),
})

// The titles are for oapi-codegen: without them it generates `Client`, which conflicts with a type of its package.
const spanKind = Type.Enum(['internal', 'server', 'client', 'producer', 'consumer'], {
  'x-enum-varnames': ['SpanKindInternal', 'SpanKindServer', 'SpanKindClient', 'SpanKindProducer', 'SpanKindConsumer'],
})

const spanStatus = Type.Enum(['unset', 'ok', 'error'])

/** A span with its child spans. */
export const TraceSpan = Type.Object(
  {
    spanId: Type.String({ description: '16 lowercase hexadecimal digits.', examples: ['00f067aa0ba902b7'] }),
    parentSpanId: exemplified(
      Type.Union([Type.String(), Type.Null()], {
        description: 'Parent span. If it is not part of the response, the span is a root.',
      }),
      null,
    ),
    agent: described(Type.Object(agent), 'Agent that sent the span.'),
    service: described(textOrNull, 'Resource attribute service.name; null without it.', 'hello'),
    scope: described(textOrNull, 'Instrumentation scope; null without it.', 'mesh.launcher'),
    name: Type.String({ description: 'Name of the span.', examples: ['invoke_agent hello'] }),
    kind: described(spanKind, 'Kind of the span, as in OpenTelemetry.', 'server'),
    startedAt: described(time, 'Start time.'),
    durationMs: Type.Number({ description: 'Duration in milliseconds.', examples: [840.2] }),
    status: described(spanStatus, 'Status of the span.', 'ok'),
    statusMessage: described(textOrNull, 'Message of the status; null without one.', null),
    attributes: exemplified(
      openObject('As the sender set them, within the trace policy of the agent. Names: OpenTelemetry.'),
      { 'gen_ai.operation.name': 'invoke_agent' },
    ),
    events: described(Type.Array(spanEvent), 'Events of the span, oldest first.', []),
    links: described(
      Type.Array(
        Type.Object({
          traceId: Type.String({ description: 'Id of the linked trace, 32 lowercase hexadecimal digits.' }),
          spanId: Type.String({ description: 'Id of the linked span, 16 lowercase hexadecimal digits.' }),
        }),
      ),
      'Links to spans of other traces.',
      [],
    ),
    content: spanContentOrNull,
    dropped: Type.Integer({ description: 'Attributes, events and links that were left out.', examples: [0] }),
    children: exemplified(
      Type.Array(shownAs(anyObject, componentRef('TraceSpan')), {
        description: 'In the order in which they started.',
      }),
      [],
    ),
  },
  { title: 'TraceSpan' },
)

/** Response of `GET /api/traces/{id}/detail`: at most 10,000 spans or 16 MiB. */
export const TraceDetail = Type.Object(
  {
    ...head,
    spans: Type.Integer({ description: 'Spans of the response.', examples: [1] }),
    truncated: Type.Boolean({ description: 'True if more spans are stored.', examples: [false] }),
    roots: Type.Array(TraceSpan, { description: 'Spans without a parent in the response.' }),
  },
  { title: 'TraceDetail' },
)

/** A trace of a list. */
export const TraceOverview = Type.Object(
  {
    traceId,
    namespace: Type.String({ description: 'Namespace of the agents that sent the spans.', examples: ['default'] }),
    agent: Type.String({ description: 'Agent that sent the root.', examples: ['hello'] }),
    name: Type.String({ description: 'Name of the root: the earliest span without a parent.', examples: ['run'] }),
    kind: described(spanKind, 'Kind of the root, as in OpenTelemetry.', 'server'),
    service: described(textOrNull, 'Resource attribute service.name of the root; null without it.', 'hello'),
    spanId: Type.String({ description: 'Id of the root, 16 hexadecimal digits.', examples: ['00f067aa0ba902b7'] }),
    status: described(
      spanStatus,
      'Status of the last root or agent span that ended; unset if no such span has arrived.',
      'ok',
    ),
    startedAt: described(time, 'Start of the earliest span.'),
    durationMs: Type.Number({
      description: 'From the first start to the last end, in milliseconds.',
      examples: [840.2],
    }),
    spans: Type.Integer({ description: 'Stored spans; a repeated span counts again.', examples: [4] }),
    errors: Type.Integer({ description: 'Stored spans with the status error.', examples: [0] }),
    runId: Type.Union([RunId, Type.Null()], {
      description: 'The oldest run of the trace that the list may show; null for a trace without a run.',
    }),
    costs,
  },
  { title: 'TraceOverview' },
)

/** A page of traces, newest first. */
export const TraceList = listOf(TraceOverview)

const boundedName = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 256, description }))

/** Query of `GET /api/traces`. */
export const TraceListQuery = Type.Object(
  {
    namespace: Type.Optional(namespaceQuery),
    from: Type.Optional(described(time, 'Traces that started at this time or later.')),
    to: Type.Optional(described(time, 'Traces that started before this time.')),
    agent: boundedName('Name of the agent that sent the root.'),
    name: boundedName('Name of the root.'),
    status: Type.Optional(described(spanStatus, 'Status of the trace.', 'error')),
    minDuration: Type.Optional(durationText(durationBounds.traceDuration, 'Traces of this duration or longer.')),
    scope: Type.Optional(scope),
    ...pageQuery,
  },
  strict,
)

/** Trace policy of an agent: `spec.tracePolicy`. */
export const TracePolicyConfig = Type.Object(
  { tracePolicy: Type.Union([tracePolicy, Type.Null()], { description: 'null: the defaults apply.' }) },
  { ...strict, title: 'TracePolicyConfig' },
)

/** A node of the tree. */
export type TraceSpanNode = Omit<Static<typeof TraceSpan>, 'children'> & { readonly children: readonly TraceSpanNode[] }
