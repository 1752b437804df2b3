import type { Dispatcher } from 'undici'
import type { Logger } from '#core/log/logger.ts'
import type { ModelCalls, OnFindings } from './calls/model-call.ts'
import type { ModelFilter } from './calls/model-filter.ts'
import type { Payment } from './calls/payment.ts'
import type { Recorder } from './calls/recorder.ts'
import type { Identity } from './identity.ts'
import type { Settings } from './settings/settings.ts'
import type { PodState } from './state/pod-state.ts'

/** Dependencies of the services of plugins. */
export interface ServiceParts {
  readonly settings: Settings
  readonly log: Logger
  /** Outgoing connections, loaded at the first call. */
  readonly dispatcher: () => Promise<Dispatcher>
  readonly state: PodState
  /** Key and certificate; undefined in an unsigned launcher. */
  readonly identity: Identity | undefined
  /** Whether the run has no parent. */
  readonly isRoot: (runId: string) => boolean
  /** Counts the parts of a recording by their outcome. */
  readonly countPart: (outcome: 'stored' | 'dropped' | 'refused' | 'failed') => void
  /** Counts the matches of rules. */
  readonly countFindings: OnFindings
}

/** Layers between a model call of the agent and the gateway: budget is held first, then rules are applied. */
export interface CallLayers {
  readonly payment: Payment | undefined
  readonly filter: ModelFilter | undefined
}

/** Work of a plugin inside the launcher besides its ports. Each service is undefined unless the agent's configuration requires it. */
export interface LauncherService {
  /** Records the runs of the agent. Throws `ConfigError`. */
  readonly recorder?: (parts: ServiceParts) => Recorder | undefined
  /** Pays for model calls. Throws `ConfigError`. */
  readonly payment?: (parts: ServiceParts) => Payment | undefined
  /** Applies rules to model calls. Throws `ConfigError`. */
  readonly filter?: (parts: ServiceParts) => ModelFilter | undefined
  /** Makes model calls for agents whose calls go through the launcher. */
  readonly modelCalls?: (parts: ServiceParts, layers: CallLayers) => ModelCalls
}

/** Defines a service; a generated list of the launcher loads it. */
export function defineService(service: LauncherService): LauncherService {
  return service
}
