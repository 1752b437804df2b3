import { isObject } from '#core/json/is-object.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import { collectReferences } from '#schemas/kinds/references.ts'
import type { Reference } from '#schemas/kinds/references.ts'

type Spec = Readonly<Record<string, unknown>>

/** Kinds whose objects name the namespaces that may refer to them. */
export const SHARED_KINDS: readonly string[] = [
  'AgentRegistry',
  'GuardrailPolicy',
  'KnowledgeBase',
  'McpToolBinding',
  'ModelProvider',
  'ModelRoute',
  'ToolRegistry',
]

/** A spec whose references lead to one namespace from any other, and the references that cannot. */
export interface PlacedReferences {
  readonly spec: Spec
  readonly bound: readonly Reference[]
}

/**
 * Adds the namespace of the file to each reference of a spec that has none. A reference to a kind without `allowedNamespaces` stays bound to its
 * namespace. Pure.
 */
export function placeReferences(spec: Spec, namespace: string): PlacedReferences {
  const placed = structuredClone(spec) as Record<string, unknown>
  const object = {
    apiVersion: AgentDeployment.apiVersion,
    kind: AgentDeployment.kind,
    metadata: { name: '', namespace },
    spec,
  }
  const references = collectReferences(AgentDeployment.spec, object)
  const links = collectReferences(AgentDeployment.spec, object, 'x-mesh-link').filter(
    (one) => one.namespace === namespace,
  )
  for (const reference of references) if (SHARED_KINDS.includes(reference.kind)) place(placed, reference)
  placeAllowedRoutes(placed, namespace)
  return { spec: placed, bound: [...references.filter(({ kind }) => !SHARED_KINDS.includes(kind)), ...links] }
}

function place(placed: Record<string, unknown>, { field, namespace, name }: Reference): void {
  const steps = field.split(/[.[\]]+/).filter((step) => step !== '')
  const last = steps.pop() ?? ''
  let at: unknown = { spec: placed }
  for (const step of steps) at = (at as Record<string, unknown>)[step]
  const holder = at as Record<string, unknown>
  const value = holder[last]
  holder[last] = isObject(value) ? { ...value, namespace } : `${namespace}/${name}`
}

// Names of routes that need not exist; `*` is every route that the namespace of the agent may use.
function placeAllowedRoutes({ model }: Record<string, unknown>, namespace: string): void {
  if (!isObject(model) || !Array.isArray(model['allowRoutes'])) return
  const routes: readonly unknown[] = model['allowRoutes']
  const isBare = (one: unknown): one is string => typeof one === 'string' && one !== '*' && !one.includes('/')
  model['allowRoutes'] = routes.map((one) => (isBare(one) ? `${namespace}/${one}` : one))
}
