import type { Redact } from '#core/guardrails/redactor.ts'
import type { AgentConfig } from './agent-config.ts'
import type { PortName } from '#schemas/launcher/launcher-ports.ts'
import type { GatewayTimeouts } from '../calls/gateway-timeouts.ts'

/** Minimum level that is logged. */
export type Level = 'debug' | 'info' | 'warn' | 'error'

/** What traces of the agent may contain, and whether they are stored. */
export interface TraceSettings {
  readonly store: boolean
  readonly capture: 'full' | 'metadata' | 'none'
  /** Whether content goes to the OTLP backend, too. */
  readonly exportContent: boolean
  /** Sample rate of traces, from 0 to 1. */
  readonly sampleRate: number
  readonly redact: Redact
}

/** Settings of the launcher, read once at start. */
export interface Settings {
  readonly agent: AgentConfig
  /** Program and arguments of the agent; empty for the built-in loop and for an agent in its own container. */
  readonly command: readonly string[]
  /** True if the agent is neither a process nor an image: the launcher runs the built-in loop. */
  readonly builtIn: boolean
  /** True if the agent runs in its own container, which the kubelet starts. */
  readonly separate: boolean
  readonly agentPort: number
  /** Environment of the agent's child process. */
  readonly agentEnv: Readonly<Record<string, string>>
  /** Descriptor for the agent's output; undefined: inherited from this process. */
  readonly agentOutputFd: number | undefined
  /** Address on which 8080 listens. */
  readonly bind: string
  /** Address on which the inbound port for calls of other agents listens: not loopback, which serves the outbound port (H3). */
  readonly podAddress: string
  /** `namespace/name` of the first registry of the agent; undefined: it has none. */
  readonly registryId: string | undefined
  /** Host names of ports on the pod address in addition to loopback: names of the Service, address of the pod. */
  readonly hosts: readonly string[]
  /** Token of the preStop hook of the agent's container; undefined: the launcher has no such hook. */
  readonly hookToken: string | undefined
  readonly ports: (name: PortName) => number
  readonly stateUrl: string | undefined
  readonly stateTokenFile: string | undefined
  /** The state role, if memory or knowledge is bound. */
  readonly memoryUrl: string | undefined
  readonly gatewayUrl: string | undefined
  readonly gatewayTokenFile: string | undefined
  readonly gatewayTimeouts: GatewayTimeouts
  /** Whether model calls of the agent pass this launcher: a budget or a quota applies. */
  readonly modelProxy: boolean
  /** Whether the agent may score its runs: its pod has a feedback port. */
  readonly feedback: boolean
  /** Whether bindings of the agent bring tools: its pod has a port for them. */
  readonly tools: boolean
  /** Whether the agent may send spans: its pod has the OTLP ports. */
  readonly collector: boolean
  /** What traces of the agent may contain, and whether they are stored. */
  readonly traces: TraceSettings
  readonly otlpEndpoint: string | undefined
  /** Credentials of a hosted backend; not in the environment of the agent. */
  readonly otlpHeaders: Readonly<Record<string, string>>
  /** Accepts runs without grant and attempt token, and has no certificate (`meshctl dev`). */
  readonly unsigned: boolean
  /** Termination grace of the pod in milliseconds. */
  readonly graceMs: number
  /** Time for a cancelled agent to stop by itself; together with the kill it is below the worker's deadline of 10 s. */
  readonly cancelGraceMs: number
  readonly parentPipeFd: number | undefined
  readonly logLevel: Level
}
