import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'

/** A model call of an agent's pod, before a filter or a provider sees it. */
export interface AgentModelCall {
  readonly agent: AgentDeploymentObject
  /** `namespace/name` of the route. */
  readonly route: string
  /** Header of the request, by its name in lower case. One that is given twice refuses the call. */
  header(name: string): string | undefined
}

/** Decides whether an agent may make a call. Throws an error of its plugin to refuse it. */
export interface CallAdmission {
  readonly name: string
  admit(call: AgentModelCall): Promise<void>
}
