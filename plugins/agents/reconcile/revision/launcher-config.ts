import { canonicalJson } from '#core/json/canonical-json.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import type { LauncherConfig } from '#schemas/launcher/launcher.ts'
import { toRequestFields } from '#schemas/kinds/model-params.ts'
import type { RevisionData } from './plan-revision.ts'
import { stableHash } from '../owned/stable-hash.ts'

/**
 * Configuration of the launcher. It has neither replicas nor the number of a revision, since a change of those alone must not
 * replace pods.
 */
export function toLauncherConfig(
  agent: AgentDeploymentObject,
  { spec, resolved }: RevisionData,
  plugins: Readonly<Record<string, unknown>> = {},
): LauncherConfig {
  const { name, namespace = '', uid = '' } = agent.metadata
  const [route, ...fallbackRoutes] = resolved.routes
  const systemPrompt = spec.systemPrompt ?? resolved.prompt?.systemPrompt
  const { messages = [], params = {} } = resolved.prompt ?? {}
  return {
    name,
    namespace,
    uid,
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    ...(messages.length === 0 ? {} : { messages }),
    ...(route === undefined
      ? {}
      : { model: { route, fallbackRoutes, requestFields: toRequestFields({ ...params, ...spec.model?.params }) } }),
    ...(spec.tools === undefined ? {} : { tools: spec.tools.map(toTool) }),
    ...(spec.delegates === undefined
      ? {}
      : { delegates: spec.delegates.map((one) => `${one.namespace ?? namespace}/${one.name}`) }),
    ...(spec.limits === undefined ? {} : { limits: spec.limits }),
    ...(Object.keys(plugins).length === 0 ? {} : { plugins }),
  }
}

/** Content of the file, with sorted keys, so that equal configurations have equal files. */
export function configText(config: LauncherConfig): string {
  return `${canonicalJson(config)}\n`
}

/** Name of the ConfigMap with this content. Pods of an older revision keep their own. */
export function configName(agent: AgentDeploymentObject, config: LauncherConfig): string {
  return `${agent.metadata.name}-${stableHash(config)}`
}

function toTool(tool: { readonly name: string; readonly requireApproval?: readonly string[] }) {
  const { name, requireApproval } = tool
  return requireApproval === undefined ? { name } : { name, requireApproval }
}
