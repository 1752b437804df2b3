import type { Dispatcher } from 'undici'
import type { Logger } from '#core/log/logger.ts'
import type { Tracer } from '#core/telemetry/tracer.ts'
import type { ModelCalls } from './calls/model-call.ts'
import type { Recorder } from './calls/recorder.ts'
import type { PortName } from '#schemas/launcher/launcher-ports.ts'
import type { PortContract, Route, RouteContract, ServedPort } from './http/port.ts'
import type { MemoryCalls } from './state/memory-calls.ts'
import type { PodState } from './state/pod-state.ts'
import type { RefusalCode } from './http/refusal.ts'
import type { Identity } from './identity.ts'
import type { Tool } from './loop/tool.ts'
import type { Turns } from './loop/turns.ts'
import type { ActiveRuns } from './runs/active-runs.ts'
import type { Settings } from './settings/settings.ts'

/** Counts what a listener serves outside of the launcher's thread. */
export interface ListenerMeter {
  /** Refused requests; default: one. */
  refused(listener: string, code: RefusalCode, requests?: number): void
  /** Spans that did not reach one destination. */
  dropped(source: 'launcher' | 'agent', spans: number): void
}

/** Parts of a launcher that a listener may use. */
export interface Pod {
  readonly settings: Settings
  readonly log: Logger
  readonly tracer: Tracer
  readonly meter: ListenerMeter
  readonly registry: ActiveRuns
  /** Outgoing connections, loaded at the first call. */
  readonly dispatcher: () => Promise<Dispatcher>
  readonly state: PodState
  /** Model calls of the agent; undefined if they go to the gateway directly. */
  readonly modelCalls: ModelCalls | undefined
  /** Undefined unless the runs of the agent are recorded. */
  readonly recorder?: Recorder | undefined
  /** Key and certificate; undefined in an unsigned launcher. */
  readonly identity: Identity | undefined
}

/** A started capability of the pod. */
export interface StartedListener {
  /** Its ports with their handlers. */
  readonly listeners: readonly ServedPort[]
  /** Tools that the built-in loop may call. */
  readonly tools?: readonly Tool[]
  /** Tools that are read when a run starts. Rejects if they cannot be read. */
  readonly boundTools?: () => Promise<readonly Tool[]>
  /** Memory of conversations for the built-in loop. */
  readonly turns?: Turns
  /** Called when the launcher begins to shut down. */
  drain?(): void
  /** Called when its ports are closed. */
  close?(): Promise<void>
}

/** Routes and tools that a plugin adds to a port of another plugin. */
export interface PortPart {
  readonly port: PortName
  readonly routes: Readonly<Record<string, RouteContract>>
  /** Whether the port is opened for it. */
  wanted(settings: Settings): boolean
  /** `calls`: the port's client of the state role; calls share its limits. */
  start(pod: Pod, calls: MemoryCalls): { readonly routes: readonly Route[]; readonly tools: readonly Tool[] }
}

/** A capability that the launcher serves on ports of the pod. */
export interface ListenerDefinition<P extends Pod = Pod> {
  /** Contract of its port, or of each of its ports. */
  readonly port: PortContract | readonly PortContract[]
  /** Whether the capability is configured; otherwise its ports stay closed, unless a `PortPart` wants one. */
  wanted(settings: Settings): boolean
  /** `parts`: all parts of its ports, including those that are not wanted. */
  start(pod: P, parts: readonly PortPart[]): StartedListener | Promise<StartedListener>
}

/** Defines a listener; a generated list of the launcher loads it. */
export function defineListener<P extends Pod = Pod>(definition: ListenerDefinition<P>): ListenerDefinition<P> {
  return definition
}

/** Defines a part of a port; a generated list of the launcher loads it. */
export function definePortPart(part: PortPart): PortPart {
  return part
}
