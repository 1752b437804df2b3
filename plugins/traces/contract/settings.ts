import { Type } from 'typebox'
import type { Static } from 'typebox'

/** Settings of the plugin. */
export const tracesSettings = Type.Object(
  {
    adapter: Type.Enum(['builtin', 'otlp', 'none'], {
      default: 'builtin',
      description:
        'Where traces of agents are read. builtin: in the store, besides an OTLP backend. otlp: in the OTLP backend only, which `link` opens. none: the routes return 501, and agents have no OTLP ports. A change replaces pods.',
    }),
    link: Type.Optional(
      Type.String({
        maxLength: 2048,
        pattern: '^https?://.*\\{traceId\\}',
        description: 'URL of a trace in the OTLP backend, with the placeholder {traceId}.',
      }),
    ),
    exportContent: Type.Boolean({
      default: false,
      description:
        'Whether the content of model calls and tool calls of agents with `capture: full` goes to the OTLP backend, too. A change replaces pods of these agents.',
    }),
    retentionDays: Type.Integer({
      minimum: 1,
      maximum: 3_650,
      default: 14,
      description: 'Retention of spans, in days. Spans of removed runs are removed earlier.',
    }),
    spansPerTrace: Type.Integer({
      minimum: 1_000,
      maximum: 100_000,
      default: 10_000,
      description: 'Maximum number of stored spans of an agent in one trace; further spans are dropped and counted.',
    }),
    bytesPerNamespace: Type.Integer({
      minimum: 1_048_576,
      maximum: 1_099_511_627_776,
      default: 1_073_741_824,
      description: 'Maximum size of the stored spans of a namespace as JSON; further spans are dropped and counted.',
    }),
  },
  { additionalProperties: false },
)

/** See {@link tracesSettings}. */
export type TracesSettings = Static<typeof tracesSettings>
