import { Type } from 'typebox'
import type { Static } from 'typebox'
import { described, exemplified } from '../values/described.ts'
import { anyValue, openObject } from './common.ts'

const parts = 'in the form of OpenTelemetry: `role`, and `parts` of a `type`. null without them.'
const messages = [{ role: 'user', parts: [{ type: 'text', content: 'Hi.' }] }]

/** Content of a span: what a model was asked and answered, what a tool got and returned. */
export const SpanContent = Type.Object(
  {
    withheld: Type.Boolean({
      description: 'True if content is stored and the caller may not `get traces/content`: the other fields are empty.',
      examples: [false],
    }),
    cut: Type.Boolean({ description: 'True if parts were left out to bound its size.', examples: [false] }),
    systemInstructions: exemplified(described(anyValue, 'Instructions before the messages; null without them.'), null),
    inputMessages: exemplified(described(anyValue, `Messages of the request, newest kept, ${parts}`), messages),
    outputMessages: exemplified(described(anyValue, `Messages of the response, ${parts}`), null),
    arguments: exemplified(
      described(anyValue, 'Arguments of a tool, or input of another agent; null without them.'),
      null,
    ),
    result: exemplified(described(anyValue, 'Result of a tool, or output of another agent; null without one.'), null),
    attributes: exemplified(openObject('Other attributes with content, of the own instrumentation of an agent.'), {}),
  },
  { title: 'SpanContent' },
)

/** See {@link SpanContent}. */
export type SpanContentView = Static<typeof SpanContent>

/** Content of a span, or null. */
export const spanContentOrNull = described(
  Type.Union([SpanContent, Type.Null()]),
  'Content, which agents with `capture: full` send; null if none is stored.',
)
