import type { PodPart } from '#plugins/agents/contract/points.ts'

/** Opens the search on port 2998 for agents with knowledge bases. Their names describe the tool of the built-in loop. */
export const knowledgePodPart: PodPart = async ({ spec: { knowledge = [] } }) =>
  knowledge.length === 0 ? undefined : { launcher: { bases: knowledge.map(({ name }) => name) } }
