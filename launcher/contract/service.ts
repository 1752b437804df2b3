import type { Dispatcher } from 'undici'
import type { Logger } from '#core/log/logger.ts'
import type { Recorder } from './calls/recorder.ts'
import type { Settings } from './settings/settings.ts'

/** What services of plugins are made of. */
export interface ServiceParts {
  readonly settings: Settings
  readonly log: Logger
  /** Outgoing connections, loaded at the first call. */
  readonly dispatcher: () => Promise<Dispatcher>
  /** Counts the parts of a recording by their outcome. */
  readonly countPart: (outcome: 'stored' | 'dropped' | 'refused' | 'failed') => void
}

/** What a plugin does inside the launcher, besides its ports. Each is undefined unless the agent's configuration wants it. */
export interface LauncherService {
  /** Records the runs of the agent. Throws `ConfigError`. */
  readonly recorder?: (parts: ServiceParts) => Recorder | undefined
}

/** Defines a service; a list of the launcher's loads it. */
export function defineService(service: LauncherService): LauncherService {
  return service
}
