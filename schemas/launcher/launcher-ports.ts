/** One listener of the agent pod. */
export interface ReservedPort {
  readonly port: number
  /** Variable that overrides the port: local workloads set an allocated one, pods use the reserved one. */
  readonly env: string
  readonly owner: 'launcher'
  /** `pod` listens on the address of the pod, other listeners on loopback only (H2). */
  readonly bind: 'loopback' | 'pod'
  readonly purpose: string
  /** Condition under which the listener is started. */
  readonly startedWhen: string
}

/** All ports that the platform reserves in an agent pod; the only definition of their numbers. */
export const reservedPorts = {
  delegate: {
    port: 2994,
    env: 'DELEGATE_PORT',
    owner: 'launcher',
    bind: 'loopback',
    purpose: 'POST /delegate',
    startedWhen: 'STATE_URL is injected',
  },
  feedback: {
    port: 2995,
    env: 'FEEDBACK_PORT',
    owner: 'launcher',
    bind: 'loopback',
    purpose: 'feedback on a run, correlated as a score',
    startedWhen: 'feedback is wired and the agent has a process',
  },
  budget: {
    port: 2996,
    env: 'MESH_BUDGET_PORT',
    owner: 'launcher',
    bind: 'loopback',
    purpose: 'model calls with budget, quota and guardrails',
    startedWhen: 'a budget, a quota or guardrails apply',
  },
  amp: {
    port: 2997,
    env: 'A2A_PORT',
    owner: 'launcher',
    bind: 'loopback',
    purpose: 'calls to other agents',
    startedWhen: 'AGENT_REGISTRY_ID is injected',
  },
  ampInbound: {
    port: 2997,
    env: 'MESH_AMP_INBOUND_PORT',
    owner: 'launcher',
    bind: 'pod',
    purpose: 'calls from other agents',
    startedWhen: 'AGENT_REGISTRY_ID is injected',
  },
  memory: {
    port: 2998,
    env: 'MEMORY_PORT',
    owner: 'launcher',
    bind: 'loopback',
    purpose: 'session memory, long-term memory, knowledge',
    startedWhen: 'memory or knowledge is bound',
  },
  discovery: {
    port: 2999,
    env: 'DISCOVERY_PORT',
    owner: 'launcher',
    bind: 'loopback',
    purpose: 'tool manifests and tool calls',
    startedWhen: 'a tool binding exists',
  },
  otlpGrpc: {
    port: 4317,
    env: 'OTLP_GRPC_PORT',
    owner: 'launcher',
    bind: 'loopback',
    purpose: 'OTLP over gRPC',
    startedWhen: 'traces are on and the agent has a process',
  },
  otlpHttp: {
    port: 4318,
    env: 'OTLP_HTTP_PORT',
    owner: 'launcher',
    bind: 'loopback',
    purpose: 'OTLP over HTTP',
    startedWhen: 'traces are on and the agent has a process',
  },
  invoke: {
    port: 8080,
    env: 'MESH_LAUNCHER_PORT',
    owner: 'launcher',
    bind: 'pod',
    purpose: 'POST /invoke, runs, health',
    startedWhen: 'always',
  },
} as const satisfies Record<string, ReservedPort>

/** A row of the table. */
export type PortName = keyof typeof reservedPorts

/** Exit code of a launcher whose port is in use: the manager replaces the pod, since the agent may have the port. */
export const EXIT_PORT_TAKEN = 98

/** Default of `AGENT_PORT`. */
export const defaultAgentPort = 8000

/** Port of a listener: its variable if set (0 is any free port), else the reserved port. */
export function portOf(name: PortName, env: Readonly<Record<string, string | undefined>>): number {
  const row = reservedPorts[name]
  return parsePort(row.env, env[row.env], row.port)
}

/** Parses the port of an environment variable; throws an error with its name. */
export function parsePort(variable: string, text: string | undefined, absent: number): number {
  if (text === undefined || text === '') return absent
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > 65535)
    throw new Error(`${variable} must be a port number, not ${JSON.stringify(text)}`)
  return port
}
