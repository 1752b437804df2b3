import type { PodPart } from '#plugins/agents/contract/points.ts'

/** Makes the launcher record the calls of an agent with `spec.recording`; its model calls then pass through the launcher. */
export const recordingPodPart: PodPart = async ({ spec: { recording, tracePolicy } }) =>
  recording === undefined ? undefined : { modelProxy: true, launcher: { redact: tracePolicy?.redact ?? [] } }
