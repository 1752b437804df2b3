import type { Caller } from '#core/cluster/caller.ts'
import { definePoint } from '#core/jobs/extension-point.ts'
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

/**
 * Keeps the public key (PEM, SPKI) of an agent's launchers where its workers find it. Called before a pod of the agent
 * can exist, and again with the same key; of several keys the two newest stay valid.
 */
export type LauncherKeyRecorder = (agentUid: string, publicKey: string) => Promise<void>

/** Who keeps the public keys of launchers. */
export const launcherKeyRecorder = definePoint<LauncherKeyRecorder>('agents.launcher-key')
