import { AgentDeployment } from './crds/agent-deployment.ts'
import { AgentTemplate } from './crds/agent-template.ts'
import { ModelProvider } from './crds/model-provider.ts'
import { ModelRoute } from './crds/model-route.ts'
import { Tenant } from './crds/tenant.ts'
import type { Kind } from './kind.ts'

type AnyKind = Omit<Kind, 'object'>

/** Every kind of ours, in the order in which they are installed. */
export const kinds: readonly AnyKind[] = [ModelProvider, ModelRoute, AgentTemplate, Tenant, AgentDeployment]

/** A kind of ours by its name, such as `AgentDeployment`. */
export function findKind(name: string): AnyKind | undefined {
  return kinds.find((kind) => kind.kind === name)
}
