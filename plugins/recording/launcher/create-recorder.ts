import { isObject } from '#core/json/is-object.ts'
import { ConfigError } from '#launcher/contract/settings/agent-config.ts'
import type { ServiceParts } from '#launcher/contract/service.ts'
import { createStateClient } from '#launcher/contract/state/state-client.ts'
import type { Recorder } from '#launcher/contract/calls/recorder.ts'
import { createRecorder } from './recorder.ts'

/** The recorder of an agent with `spec.recording`; undefined for others. Throws `ConfigError`. */
export function createRecorderOf({ settings, dispatcher, log, countPart: onPart }: ServiceParts): Recorder | undefined {
  const { recording } = settings.agent.plugins
  if (!isObject(recording)) return undefined
  const { stateUrl, stateTokenFile: tokenFile } = settings
  if (stateUrl === undefined) throw new ConfigError('STATE_URL: is missing, and the agent is recorded')
  const redact = Array.isArray(recording.redact) ? recording.redact.map(String) : []
  return createRecorder({ state: createStateClient({ stateUrl, tokenFile, dispatcher }), log, redact, onPart })
}
