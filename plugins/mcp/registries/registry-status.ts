import { toConditions } from '#core/controllers/conditions.ts'
import type { ConditionValue } from '#core/controllers/conditions.ts'
import type { McpToolBindingObject } from '#schemas/crds/mcp-tool-binding.ts'
import type { ToolRegistryObject, ToolRegistryStatus } from '#schemas/crds/tool-registry.ts'

/** A binding of a registry; undefined if it does not exist. */
export interface NamedBinding {
  readonly name: string
  readonly binding: McpToolBindingObject | undefined
}

/** Status of a registry of bindings. Pure. */
export function toToolRegistryStatus(
  registry: ToolRegistryObject,
  named: readonly NamedBinding[],
  now: Date,
): ToolRegistryStatus {
  const found = named.flatMap(({ binding }) => binding ?? [])
  const first = [resolvedOf(named), bindingsOf(found)]
  const broken = first.find(({ status }) => status !== 'True')
  const ready: ConditionValue =
    broken === undefined
      ? { type: 'Ready', status: 'True', reason: 'Ready', message: 'Agents can call the tools of every binding.' }
      : { ...broken, type: 'Ready' }
  return {
    observedGeneration: registry.metadata.generation ?? 0,
    bindingCount: found.length,
    toolCount: found.reduce((sum, { status }) => sum + (status?.toolCount ?? 0), 0),
    conditions: toConditions(registry, [...first, ready], now),
  }
}

function resolvedOf(named: readonly NamedBinding[]): ConditionValue {
  const type = 'ResolvedRefs'
  const missing = named.filter(({ binding }) => binding === undefined).map(({ name }) => name)
  if (missing.length === 0)
    return { type, status: 'True', reason: 'ResolvedRefs', message: 'Every reference was found.' }
  const message = `McpToolBinding ${missing.join(', ')} does not exist.`.slice(0, 1_024)
  return { type, status: 'False', reason: 'BindingMissing', message }
}

// The tools of the other bindings remain callable.
function bindingsOf(found: readonly McpToolBindingObject[]): ConditionValue {
  const type = 'BindingsReady'
  const unready = found
    .filter(({ status }) => readyOf(status?.conditions) !== 'True')
    .map(({ metadata }) => metadata.name)
  if (unready.length === 0) return { type, status: 'True', reason: 'BindingsReady', message: 'Every binding is ready.' }
  const message = `McpToolBinding ${unready.join(', ')} is not ready.`.slice(0, 1_024)
  return { type, status: 'False', reason: 'BindingNotReady', message }
}

function readyOf(conditions: readonly { readonly type: string; readonly status: string }[] = []): string | undefined {
  return conditions.find(({ type }) => type === 'Ready')?.status
}
