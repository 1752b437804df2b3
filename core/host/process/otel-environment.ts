import { readFileSync } from 'node:fs'
import type { OtlpProtocol, SamplerName, TraceExport } from '#core/telemetry/trace-export.ts'
import { SettingsError } from '#core/config/settings-error.ts'

type Environment = Readonly<Record<string, string | undefined>>

const protocols: readonly OtlpProtocol[] = ['grpc', 'http/protobuf', 'http/json']
const samplers: readonly SamplerName[] = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
]
// RFC 9110: a field name is a token, a field value has no control characters.
const fieldName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/
const exporterUrl = /^https?:\/\/[^@?#\s]+$/

/**
 * Reads the standard variables of OpenTelemetry's trace exporter. `base` is the setting `telemetry.otlpEndpoint`; without it and
 * without `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` nothing is exported and undefined is returned. Throws a SettingsError that names the
 * variable; a value is never printed, since headers and attributes may be secret. Headers, timeout, compression and certificates
 * are only checked here: the exporter reads them itself.
 */
export function readTraceExport(env: Environment, base: string | undefined): TraceExport | undefined {
  if (booleanOf(env, 'OTEL_SDK_DISABLED') || oneOf(env, 'OTEL_TRACES_EXPORTER', ['otlp', 'none']) === 'none')
    return undefined
  const own = given(env, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT')
  if (own !== undefined && (!exporterUrl.test(own) || !URL.canParse(own)))
    throw invalid('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'an http or https URL without user, query or fragment')
  if (own === undefined && base === undefined) return undefined
  for (const name of bothOf('HEADERS')) checkHeaders(env, name)
  for (const name of bothOf('TIMEOUT')) checkTimeout(env, name)
  for (const name of bothOf('COMPRESSION')) oneOf(env, name, ['gzip', 'none'])
  for (const kind of ['CERTIFICATE', 'CLIENT_CERTIFICATE', 'CLIENT_KEY'])
    for (const name of bothOf(kind)) checkFile(env, name)
  const [shared, ofTraces] = bothOf('PROTOCOL').map((name) => oneOf(env, name, protocols))
  const protocol = ofTraces ?? shared ?? 'http/protobuf'
  return {
    protocol,
    url: own ?? urlOf(base ?? '', protocol),
    sampler: oneOf(env, 'OTEL_TRACES_SAMPLER', samplers) ?? 'parentbased_always_on',
    ratio: ratioOf(env),
    resource: resourceOf(env),
  }
}

function bothOf(kind: string): readonly [shared: string, ofTraces: string] {
  return [`OTEL_EXPORTER_OTLP_${kind}`, `OTEL_EXPORTER_OTLP_TRACES_${kind}`]
}

// gRPC has a service, not a path.
function urlOf(base: string, protocol: OtlpProtocol): string {
  return protocol === 'grpc' ? base : `${base.replace(/(?<!\/)\/+$/, '')}/v1/traces`
}

// An empty variable counts as unset (OpenTelemetry, environment variable specification).
function given(env: Environment, name: string): string | undefined {
  const text = env[name]?.trim()
  return text === '' ? undefined : text
}

function oneOf<Value extends string>(env: Environment, name: string, values: readonly Value[]): Value | undefined {
  const text = given(env, name)
  if (text === undefined) return undefined
  const found = values.find((value) => value === text)
  if (found === undefined) throw invalid(name, `one of ${values.join(', ')}`)
  return found
}

function booleanOf(env: Environment, name: string): boolean {
  const text = given(env, name)?.toLowerCase()
  if (text !== undefined && text !== 'true' && text !== 'false') throw invalid(name, 'true or false')
  return text === 'true'
}

function checkHeaders(env: Environment, name: string): void {
  const expected = 'a list of key=value with percent-encoded values, separated by commas'
  for (const [key, value] of pairsOf(env, name, expected))
    if (!fieldName.test(key) || !fieldValue.test(value)) throw invalid(name, expected)
}

function checkTimeout(env: Environment, name: string): void {
  const text = given(env, name)
  if (text !== undefined && !/^[1-9]\d{0,5}$/.test(text)) throw invalid(name, 'milliseconds between 1 and 999999')
}

function checkFile(env: Environment, name: string): void {
  const path = given(env, name)
  if (path === undefined) return
  try {
    if (readFileSync(path, 'utf8').includes('-----BEGIN ')) return
  } catch {
    // Reported below, without the system's message.
  }
  throw invalid(name, 'the path of a readable PEM file')
}

function ratioOf(env: Environment): number {
  const text = given(env, 'OTEL_TRACES_SAMPLER_ARG')
  if (text === undefined) return 1
  const ratio = Number(text)
  if (!/^(?:\d+(?:\.\d+)?|\.\d+)$/.test(text) || ratio > 1)
    throw invalid('OTEL_TRACES_SAMPLER_ARG', 'a number from 0 to 1')
  return ratio
}

function resourceOf(env: Environment): Readonly<Record<string, string>> {
  const expected = 'a list of key=value with percent-encoded values, separated by commas'
  const service = given(env, 'OTEL_SERVICE_NAME')
  return {
    ...Object.fromEntries(pairsOf(env, 'OTEL_RESOURCE_ATTRIBUTES', expected)),
    ...(service === undefined ? {} : { 'service.name': service }),
  }
}

function pairsOf(env: Environment, name: string, expected: string): readonly (readonly [string, string])[] {
  const parts = (given(env, name) ?? '').split(',').filter((part) => part.trim() !== '')
  return parts.map((part) => {
    const at = part.indexOf('=')
    const key = part.slice(0, Math.max(at, 0)).trim()
    if (key === '') throw invalid(name, expected)
    try {
      return [decodeURIComponent(key), decodeURIComponent(part.slice(at + 1).trim())]
    } catch {
      throw invalid(name, expected)
    }
  })
}

function invalid(name: string, expected: string): SettingsError {
  return new SettingsError(`${name}: expected ${expected}`)
}
