import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import type { LauncherConfig } from '#schemas/launcher.ts'
import { toRequestFields } from '#schemas/model-params.ts'
import type { RevisionData } from './revision.ts'
import { stableHash, stableJson } from './stable-hash.ts'

/**
 * What the launcher is told of its agent. Neither replicas nor a revision's number are in it: a change of those alone
 * must not replace pods.
 */
export function toLauncherConfig(agent: AgentDeploymentObject, { spec, resolved }: RevisionData): LauncherConfig {
  const { name, namespace = '', uid = '' } = agent.metadata
  const [route, ...fallbackRoutes] = resolved.routes
  return {
    name,
    namespace,
    uid,
    ...(spec.systemPrompt === undefined ? {} : { systemPrompt: spec.systemPrompt }),
    ...(route === undefined
      ? {}
      : { model: { route, fallbackRoutes, requestFields: toRequestFields(spec.model?.params ?? {}) } }),
    ...(spec.tools === undefined ? {} : { tools: spec.tools.map(toTool) }),
    ...(spec.delegates === undefined
      ? {}
      : { delegates: spec.delegates.map((one) => `${one.namespace ?? namespace}/${one.name}`) }),
    ...(spec.limits === undefined ? {} : { limits: spec.limits }),
  }
}

/** The file's text: sorted, so that equal content is equal text. */
export function configText(config: LauncherConfig): string {
  return `${stableJson(config)}\n`
}

/** Name of the ConfigMap of that content: pods of an older revision keep theirs. */
export function configName(agent: AgentDeploymentObject, config: LauncherConfig): string {
  return `${agent.metadata.name}-${stableHash(config)}`
}

function toTool(tool: { readonly name: string; readonly requireApproval?: readonly string[] }) {
  const { name, requireApproval } = tool
  return requireApproval === undefined ? { name } : { name, requireApproval }
}
