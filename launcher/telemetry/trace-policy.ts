import { isSecretName } from '#core/guardrails/detectors/secret-names.ts'
import type { Redact } from '#core/guardrails/redactor.ts'
import { REDACTED } from '#core/log/secrets.ts'
import type { OtlpAttributes, OtlpSpan, OtlpValue, SpanOrigin } from '#core/otlp/span.ts'
import type { TraceSettings } from '../contract/settings/settings.ts'

/** Applies the trace policy of the agent to spans. */
export interface TraceFilter {
  /** The span as it may be kept; undefined if its trace is not sampled, or capture is off. */
  span(span: OtlpSpan): OtlpSpan | undefined
  origin(origin: SpanOrigin): SpanOrigin
}

/** Creates the filter of a policy. */
export function createTraceFilter({ capture, sampleRate, redact }: TraceSettings): TraceFilter {
  const isKept = createSampler(sampleRate)
  const keepText = capture === 'full' ? () => true : isMetadata
  const attributes = (given: OtlpAttributes): OtlpAttributes => {
    const kept = Object.entries(given).filter(([key, value]) => isNumber(value) || keepText(key))
    return redactFields(kept, redact)
  }
  return {
    span(span) {
      if (capture === 'none' || !isKept(span.traceId)) return undefined
      const message = capture === 'full' ? span.statusMessage : undefined
      return {
        ...span,
        name: redact(span.name),
        statusMessage: message === undefined ? undefined : redact(message),
        attributes: attributes(span.attributes),
        events: span.events.map((event) => ({
          ...event,
          name: redact(event.name),
          attributes: attributes(event.attributes),
        })),
      }
    },
    origin: ({ resource, scope }) => ({ resource: attributes(resource), scope: redact(scope) }),
  }
}

// By the 56 random bits of the id (W3C Trace Context, level 2), so that every process decides the same.
function createSampler(rate: number): (traceId: string) => boolean {
  if (rate >= 1) return () => true
  const most = rate * 2 ** 56
  return (traceId) => Number.parseInt(traceId.slice(18), 16) < most
}

function isNumber(value: OtlpValue): boolean {
  return typeof value === 'number' || typeof value === 'boolean'
}

/**
 * String attributes that hold names, not content, in OpenTelemetry's semantic conventions. Others are dropped: a new attribute of a library may hold
 * a prompt.
 */
const metadata: readonly RegExp[] = [
  /^gen_ai\.(?:operation\.name|provider\.name|system|(?:request|response)\.(?:model|id|finish_reasons)|output\.type|token\.type|agent\.(?:id|name)|conversation\.id|tool\.(?:name|type|call\.id)|data_source\.id|request\.(?:choice\.count|encoding_formats))$/,
  /^mesh\./,
  /^(?:service|telemetry|deployment|process\.runtime|host\.arch|os\.type|k8s|container|cloud)\.[a-z0-9_.]+$/,
  /^(?:otel|code|thread|network|server|client|rpc)\.[a-z0-9_.]+$/,
  /^(?:error\.type|exception\.type|http\.request\.method|http\.route|http\.method|url\.scheme)$/,
  /^(?:db\.(?:system|system\.name|operation\.name|operation|collection\.name|namespace)|messaging\.(?:system|operation\.(?:name|type)))$/,
  /^(?:openinference\.span\.kind|traceloop\.span\.kind|llm\.(?:model_name|provider|system|request\.type)|tool\.name)$/,
]

// Libraries use the same keys for every span; an agent that invents keys must not fill the memory.
const MAX_KEYS = 1_000
const decided = new Map<string, boolean>()

function isMetadata(key: string): boolean {
  const known = decided.get(key)
  if (known !== undefined) return known
  const found = metadata.some((pattern) => pattern.test(key))
  if (decided.size < MAX_KEYS) decided.set(key, found)
  return found
}

function redactFields(fields: readonly (readonly [string, OtlpValue])[], redact: Redact): OtlpAttributes {
  return Object.fromEntries(
    fields.map(([key, value]) => [redact(key), isSecret(key, value) ? REDACTED : redactValue(value, redact)]),
  )
}

function isSecret(key: string, value: OtlpValue): boolean {
  return typeof value !== 'boolean' && value !== null && isSecretName(key)
}

function redactValue(value: OtlpValue, redact: Redact): OtlpValue {
  if (typeof value === 'string') return redactText(value, redact)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return (value as readonly OtlpValue[]).map((one) => redactValue(one, redact))
  return redactFields(Object.entries(value as OtlpAttributes), redact)
}

// Shorter values contain no secret of a known format.
const SHORTEST_BYTES = 16
const base64 = /^[A-Za-z0-9+/]+={0,2}$/

// Bytes arrive as base64, truncated at the maximum length of a string.
function redactText(text: string, redact: Redact): string {
  const clean = redact(text)
  if (clean !== text || text.length < SHORTEST_BYTES || !base64.test(text)) return clean
  const bytes = Buffer.from(text, 'base64').toString('utf8')
  const redacted = redact(bytes)
  return redacted === bytes ? text : Buffer.from(redacted).toString('base64')
}
