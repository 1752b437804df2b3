import type { PodPart } from '#plugins/agents/contract/points.ts'

/** Gives agents with a process the feedback port of their launcher. A declarative agent has no process that could call it. */
export function feedbackPodPart({ fromAgents }: { readonly fromAgents: boolean }): PodPart {
  return async ({ spec: { image, runtime } }) => {
    const hasProcess = image !== undefined || runtime?.command !== undefined
    return fromAgents && hasProcess ? { ports: ['feedback'] } : undefined
  }
}
