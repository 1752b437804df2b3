import { AgentDeployment } from './crds/agent-deployment.ts'
import { AgentTemplate } from './crds/agent-template.ts'
import { ModelProvider } from './crds/model-provider.ts'
import { ModelRoute } from './crds/model-route.ts'
import { Tenant } from './crds/tenant.ts'
import type { Kind } from './kind.ts'

type AnyKind = Omit<Kind, 'object'>

/** All kinds of the platform, in order of installation. */
export const kinds: readonly AnyKind[] = [ModelProvider, ModelRoute, AgentTemplate, Tenant, AgentDeployment]

// Resources that exist in access reviews only.
const virtualKinds: Readonly<Record<string, string>> = {
  auditlogs: 'AuditLog',
  events: 'Event',
  namespaces: 'Namespace',
  runs: 'Run',
  runshares: 'RunShare',
}

/** Kind of a resource as rights name it: `runs/fixture` is `Run`. Other resources are returned unchanged. */
export function kindOfResource(resource: string): string {
  const [plural = ''] = resource.split('/', 1)
  return kinds.find((kind) => kind.plural === plural)?.kind ?? virtualKinds[plural] ?? resource
}

// Names in messages that differ from the kind.
const nouns: Readonly<Record<string, string>> = {
  AgentDeployment: 'agent',
  Namespace: 'namespace',
  Run: 'run',
  Tenant: 'tenant',
}

/** Name of an object of a resource in messages: `agent`, `ModelRoute`; undefined for other resources. */
export function nounOfResource(resource: string): string | undefined {
  const kind = kindOfResource(resource)
  return kind === resource ? undefined : (nouns[kind] ?? kind)
}

/** Finds a kind by its name, such as `AgentDeployment`. */
export function findKind(name: string): AnyKind | undefined {
  return kinds.find((kind) => kind.kind === name)
}
