import { isObject } from '#core/json/is-object.ts'
import { durationBounds, durationProblem, durationToMs } from '#schemas/values/duration.ts'
import type { LauncherConfig, LauncherTool, PromptTurn } from '#schemas/launcher/launcher.ts'
import { ConfigError } from '../contract/settings/agent-config.ts'
import type { AgentConfig } from '../contract/settings/agent-config.ts'

/** Default limits; a test keeps them equal to the defaults of AgentDeployment. */
export const limitDefaults = { timeout: '10m', maxSteps: 25, maxDelegationDepth: 8, concurrency: 1 } as const

type Fields = Readonly<Record<string, unknown>>

/** Parses the mounted JSON. Unknown fields are ignored: a newer manager may write more fields than this launcher reads. */
export function parseAgentConfig(text: string): AgentConfig {
  const root = record('', parseJson(text))
  const model = optional(root, 'model', record)
  const prompt = optional(root, 'systemPrompt', string)
  return {
    name: required(root, 'name', string),
    namespace: required(root, 'namespace', string),
    uid: required(root, 'uid', string),
    ...(prompt === undefined ? {} : { systemPrompt: prompt }),
    messages: (optional(root, 'messages', array) ?? []).map((one, index) => parseTurn(`messages/${index}`, one)),
    ...(model === undefined ? {} : { model: parseModel(model) }),
    tools: (optional(root, 'tools', array) ?? []).map((entry, index) => parseTool(`tools/${index}`, entry)),
    delegates: optional(root, 'delegates', array)?.map((name, index) => string(`delegates/${index}`, name)),
    plugins: optional(root, 'plugins', record) ?? {},
    limits: parseLimits(optional(root, 'limits', record) ?? {}),
  }
}

function parseModel(model: Fields): NonNullable<LauncherConfig['model']> {
  const fields = optional(model, 'requestFields', record, 'model/')
  return {
    route: required(model, 'route', string, 'model/'),
    fallbackRoutes: (optional(model, 'fallbackRoutes', array, 'model/') ?? []).map((route, index) =>
      string(`model/fallbackRoutes/${index}`, route),
    ),
    ...(fields === undefined ? {} : { requestFields: fields }),
  }
}

function parseTurn(field: string, value: unknown): PromptTurn {
  const entry = record(field, value)
  const role = required(entry, 'role', string, `${field}/`)
  if (role !== 'system' && role !== 'user' && role !== 'assistant')
    throw new ConfigError(`/${field}/role: must be system, user or assistant`)
  return { role, content: required(entry, 'content', string, `${field}/`) }
}

function parseTool(field: string, value: unknown): LauncherTool {
  const entry = record(field, value)
  return {
    name: required(entry, 'name', string, `${field}/`),
    requireApproval: (optional(entry, 'requireApproval', array, `${field}/`) ?? []).map((name, index) =>
      string(`${field}/requireApproval/${index}`, name),
    ),
  }
}

function parseLimits(limits: Fields): AgentConfig['limits'] {
  const timeout = optional(limits, 'timeout', string, 'limits/') ?? limitDefaults.timeout
  const problem = durationProblem(timeout, durationBounds.runTimeout)
  if (problem !== undefined) throw new ConfigError(`/limits/timeout: ${problem}`)
  const whole = (name: 'maxSteps' | 'maxDelegationDepth' | 'concurrency', least: number, most: number): number =>
    optional(limits, name, integer(least, most), 'limits/') ?? limitDefaults[name]
  return {
    timeoutMs: durationToMs(timeout) ?? 0,
    maxSteps: whole('maxSteps', 1, 1000),
    maxDelegationDepth: whole('maxDelegationDepth', 0, 8),
    concurrency: whole('concurrency', 1, 1000),
  }
}

type Reader<T> = (field: string, value: unknown) => T

function required<T>(from: Fields, name: string, read: Reader<T>, prefix = ''): T {
  if (from[name] === undefined) throw new ConfigError(`/${prefix}${name}: is missing`)
  return read(prefix + name, from[name])
}

function optional<T>(from: Fields, name: string, read: Reader<T>, prefix = ''): T | undefined {
  return from[name] === undefined || from[name] === null ? undefined : read(prefix + name, from[name])
}

function string(field: string, value: unknown): string {
  if (typeof value !== 'string' || value === '') throw new ConfigError(`/${field}: must be a non-empty string`)
  return value
}

function integer(least: number, most = Number.MAX_SAFE_INTEGER): Reader<number> {
  return (field, value) => {
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most) return value
    throw new ConfigError(`/${field}: must be an integer from ${least} to ${most}`)
  }
}

function array(field: string, value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new ConfigError(`/${field}: must be a list`)
  return value
}

function record(field: string, value: unknown): Fields {
  if (!isObject(value)) throw new ConfigError(`/${field}: must be an object`)
  return Object.fromEntries(Object.entries(value))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new ConfigError(`not JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
}
