import { isObject } from '#core/json/is-object.ts'
import type { ServiceParts } from '#launcher/contract/service.ts'
import type { Recorder } from '#launcher/contract/calls/recorder.ts'
import { createRecorder } from './recorder.ts'

/** The recorder of an agent with `spec.recording`; undefined for others. Throws `ConfigError`. */
export function createRecorderOf({ settings, state, log, countPart: onPart }: ServiceParts): Recorder | undefined {
  const { recording } = settings.agent.plugins
  if (!isObject(recording)) return undefined
  const redact = Array.isArray(recording.redact) ? recording.redact.map(String) : []
  return createRecorder({ state: state('the agent is recorded'), log, redact, onPart })
}
