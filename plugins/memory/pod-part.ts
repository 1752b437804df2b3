import type { PodPart } from '#plugins/agents/contract/points.ts'

/** Lets the launcher serve the parts of memory that the spec binds, on port 2998. */
export const memoryPodPart: PodPart = async ({ spec: { memory } }) =>
  memory?.session === undefined && memory?.longTerm === undefined
    ? undefined
    : {
        launcher: {
          ...(memory.session === undefined ? {} : { session: true }),
          ...(memory.longTerm === undefined ? {} : { longTerm: true }),
        },
      }
