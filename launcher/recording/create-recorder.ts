import type { Dispatcher } from 'undici'
import { isObject } from '#core/json/is-object.ts'
import type { Logger } from '#core/log/logger.ts'
import { ConfigError } from '../contract/settings/agent-config.ts'
import type { Settings } from '../contract/settings/settings.ts'
import { createStateClient } from '../contract/state/state-client.ts'
import type { Recorder } from '../contract/calls/recorder.ts'
import type { PartOutcome } from './part-queue.ts'
import { createRecorder } from './recorder.ts'

/** Parts of the launcher that the recorder uses. */
export interface RecorderParts {
  readonly dispatcher: () => Promise<Dispatcher>
  readonly log: Logger
  readonly onPart: (outcome: PartOutcome) => void
}

/** The recorder of an agent with `spec.recording`; undefined for others. Throws `ConfigError`. */
export function createRecorderOf(settings: Settings, { dispatcher, log, onPart }: RecorderParts): Recorder | undefined {
  const { recording } = settings.agent.plugins
  if (!isObject(recording)) return undefined
  const { stateUrl, stateTokenFile: tokenFile } = settings
  if (stateUrl === undefined) throw new ConfigError('STATE_URL: is missing, and the agent is recorded')
  const redact = Array.isArray(recording.redact) ? recording.redact.map(String) : []
  return createRecorder({ state: createStateClient({ stateUrl, tokenFile, dispatcher }), log, redact, onPart })
}
