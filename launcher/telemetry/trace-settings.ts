import { PolicyProblem } from '#core/guardrails/detectors/policy-problem.ts'
import { createRedactor } from '#core/guardrails/redactor.ts'
import type { Redact } from '#core/guardrails/redactor.ts'
import { isObject } from '#core/json/is-object.ts'
import type { TraceSettings } from '../contract/settings/settings.ts'
import { ConfigError } from '../contract/settings/agent-config.ts'

/** Without the plugin `traces` spans go to the OTLP backend only, according to the default policy. */
const withoutPlugin: TraceSettings = {
  store: false,
  exportContent: false,
  capture: 'metadata',
  sampleRate: 1,
  redact: createRedactor([]).text,
}

/** Parses the configuration of the plugin `traces`; throws `ConfigError` naming the field. */
export function parseTraceSettings(given: unknown): TraceSettings {
  if (given === undefined) return withoutPlugin
  if (!isObject(given)) throw new ConfigError('/plugins/traces: must be an object')
  const { store, capture, redact, sampleRate, exportContent = false } = given
  if (typeof store !== 'boolean') throw wrong('store', 'must be true or false')
  if (typeof exportContent !== 'boolean') throw wrong('exportContent', 'must be true or false')
  if (capture !== 'full' && capture !== 'metadata' && capture !== 'none')
    throw wrong('capture', 'must be full, metadata or none')
  if (typeof sampleRate !== 'number' || !(sampleRate >= 0 && sampleRate <= 1))
    throw wrong('sampleRate', 'must be a number from 0 to 1')
  if (!Array.isArray(redact) || !redact.every((one) => typeof one === 'string'))
    throw wrong('redact', 'must be a list of strings')
  return { store, exportContent, capture, sampleRate, redact: compile(redact) }
}

function compile(entries: readonly string[]): Redact {
  try {
    return createRedactor(entries).text
  } catch (error) {
    throw error instanceof PolicyProblem ? wrong('redact', error.detail) : error
  }
}

function wrong(field: string, problem: string): ConfigError {
  return new ConfigError(`/plugins/traces/${field}: ${problem}`)
}
