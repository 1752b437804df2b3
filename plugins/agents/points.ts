import type { Caller } from '#core/cluster/caller.ts'
import { definePoint } from '#core/jobs/extension-point.ts'
import type { Requirement } from '#schemas/api/agents.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'

/** Reports requirements of an agent beyond its references, with the caller's rights. */
export type RequirementCheck = (
  agent: AgentDeploymentObject,
  caller: Caller,
  signal: AbortSignal,
) => Promise<readonly Requirement[]>

/** Further requirement checks of other plugins. */
export const agentRequirement = definePoint<RequirementCheck>('agents.requirement')

/**
 * Stores the public key (PEM, SPKI) of an agent's launchers for workers. Called before a pod of the agent can exist, and
 * repeatedly with the same key. The two newest keys are valid.
 */
export type LauncherKeyRecorder = (agentUid: string, publicKey: string) => Promise<void>

/** Point for the plugin that stores the public keys of launchers. */
export const launcherKeyRecorder = definePoint<LauncherKeyRecorder>('agents.launcher-key')
