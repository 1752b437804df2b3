import { Type } from 'typebox'
import type { Static } from 'typebox'
import { tracePolicy } from '../crds/agent-behaviour.ts'
import { TRACE_ID_PATTERN } from '../feedback.ts'
import { RunId } from '../run-id.ts'
import { componentRef, shownAs } from '../shown-as.ts'
import { runCosts } from './runs.ts'
import { anyObject, openObject, time } from './common.ts'

const strict = { additionalProperties: false }
const traceId = Type.String({ pattern: TRACE_ID_PATTERN, description: 'Id of a trace: 32 digits in lower case.' })
const textOrNull = Type.Union([Type.String(), Type.Null()])
const agent = { namespace: Type.String(), name: Type.String() }

/** Path of the routes of one trace. */
export const TraceParams = Type.Object({
  id: Type.Union([traceId, RunId], { description: 'Id of a trace, or of a run of it.' }),
})

const head = {
  traceId,
  run: Type.Union([Type.Object({ id: RunId, namespace: Type.String(), agent: textOrNull }), Type.Null()], {
    description: 'The run of the path, else the oldest one that the caller may get; null for a trace without one.',
  }),
  costs: Type.Union([Type.Object(runCosts, { title: 'RunCosts' }), Type.Null()], {
    description: 'Cost of the run and of those below it; null without a run.',
  }),
  link: Type.Union([Type.String(), Type.Null()], {
    description: 'Address in the OTLP backend, by the setting `traces.link`.',
  }),
}

/** Answer of `GET /api/traces/{id}`. */
export const TraceSummary = Type.Object(
  {
    ...head,
    spans: Type.Integer({ description: 'Stored spans that the caller may read; a repeated span counts again.' }),
    agents: Type.Array(Type.Object({ ...agent, spans: Type.Integer() }), { description: 'Agents with stored spans.' }),
  },
  { title: 'Trace' },
)

const spanEvent = Type.Object({
  name: Type.String(),
  at: time,
  attributes: openObject('As the sender set them, within the trace policy of the agent.'),
})

// The names are for oapi-codegen: without them it declares `Client`, which its package has as a type.
const spanKind = Type.Enum(['internal', 'server', 'client', 'producer', 'consumer'], {
  'x-enum-varnames': ['SpanKindInternal', 'SpanKindServer', 'SpanKindClient', 'SpanKindProducer', 'SpanKindConsumer'],
})

/** A span with those below it. */
export const TraceSpan = Type.Object(
  {
    spanId: Type.String({ description: '16 digits in lower case.' }),
    parentSpanId: Type.Union([Type.String(), Type.Null()], {
      description: 'The parent, also where it is not part of the answer; the span is then a root.',
    }),
    agent: Type.Object(agent),
    service: textOrNull,
    scope: textOrNull,
    name: Type.String(),
    kind: spanKind,
    startedAt: time,
    durationMs: Type.Number(),
    status: Type.Enum(['unset', 'ok', 'error']),
    statusMessage: textOrNull,
    attributes: openObject('As the sender set them, within the trace policy of the agent. Names: OpenTelemetry.'),
    events: Type.Array(spanEvent),
    links: Type.Array(Type.Object({ traceId: Type.String(), spanId: Type.String() })),
    dropped: Type.Integer({ description: 'Attributes, events and links that were left out.' }),
    children: Type.Array(shownAs(anyObject, componentRef('TraceSpan')), {
      description: 'In the order of their start.',
    }),
  },
  { title: 'TraceSpan' },
)

/** Answer of `GET /api/traces/{id}/detail`: at most 10,000 spans or 16 MiB. */
export const TraceDetail = Type.Object(
  {
    ...head,
    spans: Type.Integer({ description: 'Spans of the answer.' }),
    truncated: Type.Boolean({ description: 'True if more spans are stored.' }),
    roots: Type.Array(TraceSpan, { description: 'Spans without a parent in the answer.' }),
  },
  { title: 'TraceDetail' },
)

/** Trace policy of an agent: `spec.tracePolicy`. */
export const TracePolicyConfig = Type.Object(
  { tracePolicy: Type.Union([tracePolicy, Type.Null()], { description: 'null: the defaults apply.' }) },
  { ...strict, title: 'TracePolicyConfig' },
)

/** A node of the tree. */
export type TraceSpanNode = Omit<Static<typeof TraceSpan>, 'children'> & { readonly children: readonly TraceSpanNode[] }
