import type { Attributes } from './tracer.ts'

/** Process and instrumentation scope of an export. */
export interface SpanSource {
  readonly resource: Attributes
  readonly scope: string
}

/** Attributes in OTLP form. */
export function toAttributes(attributes: Attributes): readonly object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: toValue(value) }))
}

function toValue(value: string | number | boolean): object {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}
