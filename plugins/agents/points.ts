import type { Caller } from '#core/cluster/access.ts'
import { definePoint } from '#core/host/points.ts'
import type { Requirement } from '#schemas/api/agents.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'

/** Says what an agent needs beyond its references; asked as the caller. */
export type RequirementCheck = (
  agent: AgentDeploymentObject,
  caller: Caller,
  signal: AbortSignal,
) => Promise<readonly Requirement[]>

/** Further requirement checks of other plugins. */
export const agentRequirement = definePoint<RequirementCheck>('agents.requirement')
