import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { REVISION_NUMBER_LABEL } from '#schemas/names/labels.ts'
import { modelRoutesOf } from '#schemas/agents/model-routes.ts'
import { firstNumber } from '../../versions/revisions.ts'
import type { Revision } from '../../versions/revisions.ts'
import type { AgentPod } from './agent-pod.ts'

/** Routes of the agent's pods. */
export interface PodRoutes {
  readonly routes: readonly string[]
  /** Whether pods of revisions other than the deployed one still run. */
  readonly isLeaving: boolean
}

interface Running {
  readonly deployed: string | undefined
  readonly pods: readonly AgentPod[]
}

/**
 * The routes of the spec and of each revision with a pod that has not ended. Terminating pods count: their runs continue during the grace period.
 * Pure.
 */
export function podRoutes(agent: AgentDeploymentObject, revisions: readonly Revision[], running: Running): PodRoutes {
  const numbers = new Set(
    running.pods.filter(isRunning).map(({ metadata }) => metadata.labels?.[REVISION_NUMBER_LABEL]),
  )
  const kept = revisions.filter((one) => numbers.has(String(firstNumber(one))))
  const deployed = revisions.filter(({ metadata }) => metadata.name === running.deployed)
  const specs = [agent.spec, ...[...kept, ...deployed].map(({ data }) => data?.spec ?? {})]
  const routes = [...new Set(specs.flatMap((spec) => modelRoutesOf(agent.metadata.namespace ?? '', spec)))].toSorted()
  // A revision that was just created is not in the list; pods with its number are up to date.
  return {
    routes: routes.slice(0, MAX_ROUTES),
    isLeaving: kept.some(({ metadata }) => metadata.name !== running.deployed),
  }
}

const MAX_ROUTES = 256

function isRunning({ status }: AgentPod): boolean {
  return status?.phase !== 'Succeeded' && status?.phase !== 'Failed'
}
