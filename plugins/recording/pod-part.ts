import type { PodPart } from '#plugins/agents/contract/points.ts'

/** Has the launcher record the calls of an agent with `spec.recording`. Its model calls pass the launcher then. */
export const recordingPodPart: PodPart = async ({ spec: { recording, tracePolicy } }) =>
  recording === undefined ? undefined : { modelProxy: true, launcher: { redact: tracePolicy?.redact ?? [] } }
