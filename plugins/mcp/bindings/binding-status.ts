import { toConditions } from '#core/controllers/conditions.ts'
import type { ConditionValue } from '#core/controllers/conditions.ts'
import type { McpServerObject } from '#schemas/crds/mcp-server.ts'
import type { McpToolBindingObject, McpToolBindingStatus } from '#schemas/crds/mcp-tool-binding.ts'
import { acceptedTools, selectTools } from './select-tools.ts'

// More names would be of no use to readers.
const MAX_NAMED = 20

/** Status of a binding of a server; undefined: there is no such server. Pure. */
export function toBindingStatus(
  binding: McpToolBindingObject,
  server: McpServerObject | undefined,
  now: Date,
): McpToolBindingStatus {
  const selected = server === undefined ? [] : selectTools(acceptedTools(server), [binding.spec])
  const first = [resolvedOf(binding, server), toolsOf(binding, server), serverOf(server)]
  const broken = first.find(({ status }) => status !== 'True')
  const ready: ConditionValue =
    broken === undefined
      ? { type: 'Ready', status: 'True', reason: 'Ready', message: 'Agents can call the tools.' }
      : { ...broken, type: 'Ready' }
  return {
    observedGeneration: binding.metadata.generation ?? 0,
    tools: selected.map(({ tool }) => tool.name),
    toolCount: selected.length,
    approvals: selected.filter(({ requiresApproval }) => requiresApproval).length,
    conditions: toConditions(binding, [...first, ready], now),
  }
}

function resolvedOf({ metadata, spec }: McpToolBindingObject, server: McpServerObject | undefined): ConditionValue {
  const type = 'ResolvedRefs'
  if (server !== undefined)
    return { type, status: 'True', reason: 'ResolvedRefs', message: 'Every reference was found.' }
  const message = `McpServer ${metadata.namespace ?? ''}/${spec.serverRef.name} does not exist.`
  return { type, status: 'False', reason: 'ServerMissing', message }
}

// A tool named in a binding may come with a later manifest, so an unknown name does not affect other tools.
function toolsOf({ spec }: McpToolBindingObject, server: McpServerObject | undefined): ConditionValue {
  const type = 'ToolsFound'
  if (server?.status?.manifestDigest === undefined)
    return { type, status: 'Unknown', reason: 'NoManifest', message: 'The server has no accepted tools.' }
  const names = new Set(acceptedTools(server).map(({ name }) => name))
  const named = [...(spec.allow ?? []), ...(spec.requireApproval ?? []).filter((name) => name !== '*')]
  const unknown = [...new Set(named)].filter((name) => !names.has(name))
  if (unknown.length === 0)
    return { type, status: 'True', reason: 'ToolsFound', message: 'The server has every named tool.' }
  const more = unknown.length > MAX_NAMED ? ` and ${unknown.length - MAX_NAMED} more` : ''
  const message = `The server has no accepted tool ${unknown.slice(0, MAX_NAMED).join(', ')}${more}.`
  return { type, status: 'False', reason: 'UnknownTool', message }
}

function serverOf(server: McpServerObject | undefined): ConditionValue {
  const type = 'ServerReady'
  const ready = server?.status?.conditions?.find((one) => one.type === 'Ready')
  if (ready === undefined)
    return { type, status: 'Unknown', reason: 'InProgress', message: 'The server has not been checked yet.' }
  const { status, reason, message } = ready
  return { type, status, reason, message }
}
