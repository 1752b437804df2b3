import type { Dispatcher } from 'undici'
import type { Logger } from '#core/log/logger.ts'
import type { Tracer } from '#core/telemetry/tracer.ts'
import type { Tool } from '../agent/built-in-tools.ts'
import type { Turns } from '../agent/turns.ts'
import type { PortContract, ServedPort } from '../http/port.ts'
import type { Identity } from '../identity/identity.ts'
import type { ModelCalls } from '../model-calls/model-calls.ts'
import type { Recorder } from '../recording/open-call.ts'
import type { RunRegistry } from '../runs/run-registry.ts'
import type { Settings } from '../settings/settings.ts'
import type { Supervision } from '../supervise/supervision.ts'
import type { LauncherMeter } from '../telemetry/metrics.ts'

/** Readiness: `ok`, or why no run may be sent to this launcher. */
export type Health = 'ok' | UnreadyReason

/** Why a launcher is not ready. */
export type UnreadyReason = (typeof unreadyReasons)[number]

/** Reasons in the response to the readiness probe. */
export const unreadyReasons = ['draining', 'no_certificate', 'agent_not_ready'] as const

/** The parts of a launcher that a listener may use. */
export interface Pod {
  readonly settings: Settings
  readonly log: Logger
  readonly tracer: Tracer
  /** Counts what a listener serves outside of this thread. */
  readonly meter: Pick<LauncherMeter, 'refused' | 'dropped'>
  readonly registry: RunRegistry
  readonly supervision: Supervision
  /** Outgoing connections, loaded at the first call. */
  readonly dispatcher: () => Promise<Dispatcher>
  /** Model calls of the agent; undefined if they go to the gateway directly. */
  readonly modelCalls: ModelCalls | undefined
  /** Undefined unless the runs of the agent are recorded. */
  readonly recorder?: Recorder | undefined
  /** Key and certificate; undefined in an unsigned launcher. */
  readonly identity: Identity | undefined
  readonly health: () => Promise<Health>
}

/** A started capability of the pod. */
export interface StartedListener {
  /** Its ports with their handlers. */
  readonly listeners: readonly ServedPort[]
  /** Tools that the built-in loop may call. */
  readonly tools?: readonly Tool[]
  /** Tools that are read when a run starts. Rejects if they are not known. */
  readonly boundTools?: () => Promise<readonly Tool[]>
  /** Memory of conversations for the built-in loop. */
  readonly turns?: Turns
  /** Called when the launcher begins to shut down. */
  drain?(): void
  /** Called when its ports are closed. */
  close?(): Promise<void>
}

/** A capability that the launcher serves on ports of the pod. */
export interface ListenerDefinition {
  /** Contract of its port, or of each of its ports. */
  readonly port: PortContract | readonly PortContract[]
  /** Whether the capability is configured; otherwise its ports stay closed. */
  wanted(settings: Settings): boolean
  start(pod: Pod): StartedListener | Promise<StartedListener>
}

/** Defines a listener; `index.ts` lists them. */
export function defineListener(definition: ListenerDefinition): ListenerDefinition {
  return definition
}
