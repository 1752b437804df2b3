import { isIP } from 'node:net'
import { readFileSync } from 'node:fs'
import { isObject } from '#core/json/is-object.ts'
import { parseOtlpHeaders } from '#core/telemetry/otlp-headers.ts'
import { parseAgentConfig } from './agent-config.ts'
import { ConfigError } from '../contract/settings/agent-config.ts'
import type { AgentConfig } from '../contract/settings/agent-config.ts'
import { defaultTimeouts } from '../contract/calls/gateway-timeouts.ts'
import type { GatewayTimeouts } from '../contract/calls/gateway-timeouts.ts'
import { parseLevel } from '../telemetry/log.ts'
import { parseTraceSettings } from '../telemetry/trace-settings.ts'
import type { Settings } from '../contract/settings/settings.ts'
import { defaultAgentPort, parsePort, portOf } from '#schemas/launcher/launcher-ports.ts'
import { HOOK_TOKEN_VARIABLE } from '#schemas/launcher/launcher.ts'

/** Milliseconds of the pod's grace period that are reserved for ending the agent and flushing. */
export const shutdownReserveMs = 5000

/** Environment of a process. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Variables that are removed from the agent's environment if `MESH_AGENT_ENV_FILE` is absent: the launcher's files, sockets and switches (P5). */
const launcherOnly: ReadonlySet<string> = new Set([
  'MESH_AGENT_CANDIDATE',
  'MESH_AGENT_CONFIG',
  'MESH_AGENT_CONTAINER',
  'MESH_AGENT_OUTPUT_FD',
  'MESH_AGENT_REVISION',
  'MESH_BIND',
  'MESH_CANCEL_GRACE_SECONDS',
  'MESH_GATEWAY_IDLE_SECONDS',
  'MESH_GATEWAY_TIMEOUT_SECONDS',
  'MESH_GRACE_SECONDS',
  HOOK_TOKEN_VARIABLE,
  'MESH_HOSTS',
  'MESH_PARENT_PIPE_FD',
  'MESH_LOG_LEVEL',
  'MESH_STATE_TOKEN_FILE',
  'MESH_UNSIGNED',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'STATE_URL',
])

/** Reads the environment and the mounted file; throws `ConfigError` naming the variable or field. */
export function readSettings(argv: readonly string[], env: Environment): Settings {
  const command = parseCommand(argv)
  const agent = readAgentConfig(env)
  const separate = env.MESH_AGENT_CONTAINER === 'true'
  if (separate && command.length > 0) throw new ConfigError('MESH_AGENT_CONTAINER: excludes a command')
  const builtIn = command.length === 0 && !separate
  const unsigned = env.MESH_UNSIGNED === 'true'
  const agentPort = checked(() => parsePort('AGENT_PORT', env.AGENT_PORT, defaultAgentPort))
  if (env.MESH_BUDGET_PORT && !env.MODEL_GATEWAY_URL)
    throw new ConfigError('MODEL_GATEWAY_URL: is missing, and MESH_BUDGET_PORT is set')
  if (env.FEEDBACK_PORT && !env.STATE_URL) throw new ConfigError('STATE_URL: is missing, and FEEDBACK_PORT is set')
  if (env.DISCOVERY_PORT && !env.STATE_URL) throw new ConfigError('STATE_URL: is missing, and DISCOVERY_PORT is set')
  if (!unsigned && !env.STATE_URL) throw new ConfigError('STATE_URL: is missing, and MESH_UNSIGNED is not true')
  if (builtIn && agent.model === undefined) throw new ConfigError('/model: is missing, and no command was given')
  return {
    agent,
    command,
    builtIn,
    separate,
    agentPort,
    agentEnv: agentEnvironment(env, agentPort),
    agentOutputFd: descriptor('MESH_AGENT_OUTPUT_FD', env),
    bind: env.MESH_BIND || '0.0.0.0',
    podAddress: env.MESH_BIND || env.POD_IP || '0.0.0.0',
    registryId: env.AGENT_REGISTRY_ID || undefined,
    hosts: (env.MESH_HOSTS ?? '')
      .split(',')
      .filter((host) => host !== '')
      .map(toHost),
    hookToken: env[HOOK_TOKEN_VARIABLE] || undefined,
    ports: (name) => checked(() => portOf(name, env)),
    stateUrl: parseUrl('STATE_URL', env.STATE_URL),
    stateTokenFile: env.MESH_STATE_TOKEN_FILE || undefined,
    memoryUrl: parseUrl('MEMORY_BACKEND_ADDR', env.MEMORY_BACKEND_ADDR),
    gatewayUrl: parseUrl('MODEL_GATEWAY_URL', env.MODEL_GATEWAY_URL)?.replace(/\/v1$/, ''),
    gatewayTokenFile: env.MODEL_GATEWAY_TOKEN_FILE || undefined,
    gatewayTimeouts: gatewayTimeouts(env),
    modelProxy: Boolean(env.MESH_BUDGET_PORT),
    feedback: Boolean(env.FEEDBACK_PORT),
    tools: Boolean(env.DISCOVERY_PORT),
    collector: Boolean(env.OTLP_GRPC_PORT && env.OTLP_HTTP_PORT),
    traces: parseTraceSettings(agent.plugins['traces']),
    otlpEndpoint: parseUrl('OTEL_EXPORTER_OTLP_ENDPOINT', env.OTEL_EXPORTER_OTLP_ENDPOINT),
    otlpHeaders: checked(() => parseOtlpHeaders(env.OTEL_EXPORTER_OTLP_HEADERS)),
    unsigned,
    graceMs: seconds('MESH_GRACE_SECONDS', env.MESH_GRACE_SECONDS, 30),
    cancelGraceMs: seconds('MESH_CANCEL_GRACE_SECONDS', env.MESH_CANCEL_GRACE_SECONDS, 5),
    parentPipeFd: descriptor('MESH_PARENT_PIPE_FD', env),
    logLevel: checked(() => parseLevel(env.MESH_LOG_LEVEL)),
  }
}

/**
 * Environment of the agent's process: the content of `MESH_AGENT_ENV_FILE`, which keeps variables of the user out of this
 * process (F8). Without the file (`meshctl dev`): the environment of this process without the launcher's variables.
 */
export function agentEnvironment(env: Environment, agentPort: number): Record<string, string> {
  const port = { AGENT_PORT: String(agentPort) }
  if (env.MESH_AGENT_ENV_FILE) return { ...parseVariables(readNamedFile('MESH_AGENT_ENV_FILE', env)), ...port }
  const kept = Object.entries(env).filter(([name, value]) => value !== undefined && !launcherOnly.has(name))
  return { ...(Object.fromEntries(kept) as Record<string, string>), ...modelProxy(env), ...collector(env), ...port }
}

function gatewayTimeouts(env: Environment): GatewayTimeouts {
  const { headersTimeout, bodyTimeout } = defaultTimeouts
  const read = (variable: string, absent: number): number => {
    const ms = seconds(variable, env[variable], absent / 1000)
    // Without a limit a frozen gateway would keep its hold until the run ends.
    if (ms === 0) throw new ConfigError(`${variable}: must be greater than 0`)
    return ms
  }
  return {
    headersTimeout: read('MESH_GATEWAY_TIMEOUT_SECONDS', headersTimeout),
    bodyTimeout: read('MESH_GATEWAY_IDLE_SECONDS', bodyTimeout),
  }
}

function modelProxy({ MESH_BUDGET_PORT: number }: Environment): Record<string, string> {
  return number ? { MODEL_GATEWAY_URL: `http://127.0.0.1:${number}` } : {}
}

// The OTLP backend of the launcher is not for the agent.
function collector({ OTLP_HTTP_PORT: number }: Environment): Record<string, string> {
  return number ? { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${number}` } : {}
}

function parseVariables(text: string): Record<string, string> {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    // The parser's message would quote a value.
  }
  const isTexts = (value: unknown): value is Record<string, string> =>
    isObject(value) && Object.values(value).every((one) => typeof one === 'string')
  if (!isTexts(parsed)) throw new ConfigError('MESH_AGENT_ENV_FILE: must be a JSON object of strings')
  return parsed
}

function parseCommand(argv: readonly string[]): readonly string[] {
  if (argv.length === 0) return []
  if (argv[0] !== '--')
    throw new ConfigError(`unknown argument ${argv[0]}; usage: launcher [-- command [argument ...]]`)
  return argv.slice(1)
}

function readAgentConfig(env: Environment): AgentConfig {
  const agent = parseAgentConfig(readNamedFile('MESH_AGENT_CONFIG', env))
  const revision = env.MESH_AGENT_REVISION
  const isCandidate = env.MESH_AGENT_CANDIDATE === 'true'
  if (isCandidate && !revision)
    throw new ConfigError('MESH_AGENT_REVISION: is missing, and MESH_AGENT_CANDIDATE is set')
  if (!revision) return agent
  return { ...agent, revision: whole('MESH_AGENT_REVISION', revision), ...(isCandidate ? { isCandidate } : {}) }
}

function readNamedFile(variable: string, env: Environment): string {
  const path = env[variable]
  if (path === undefined || path === '') throw new ConfigError(`${variable}: is missing`)
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new ConfigError(`${variable}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function descriptor(variable: string, env: Environment): number | undefined {
  const text = env[variable]
  return text ? whole(variable, text) : undefined
}

// Address of a pod in the form of a Host header.
function toHost(name: string): string {
  return isIP(name) === 6 ? `[${name}]` : name
}

function parseUrl(variable: string, text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '' || url.hash !== '')
    throw new ConfigError(`${variable}: must be an http or https URL without user, query or fragment`)
  return url.href.replace(/(?<!\/)\/+$/, '')
}

function seconds(variable: string, text: string | undefined, absent: number): number {
  if (text === undefined || text === '') return absent * 1000
  const value = Number(text)
  if (!Number.isFinite(value) || value < 0 || value > 86_400)
    throw new ConfigError(`${variable}: must be a number of seconds from 0 to 86400`)
  return value * 1000
}

function whole(variable: string, text: string): number {
  if (!/^\d{1,10}$/.test(text)) throw new ConfigError(`${variable}: must be a whole number`)
  return Number(text)
}

function checked<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new ConfigError(error instanceof Error ? error.message : String(error))
  }
}
