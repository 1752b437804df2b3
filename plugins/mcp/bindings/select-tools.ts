import type { McpServerObject, McpTool } from '#schemas/crds/mcp-server.ts'
import type { McpToolBindingSpec } from '#schemas/crds/mcp-tool-binding.ts'

/** A tool that a binding provides. */
export interface SelectedTool {
  readonly tool: McpTool
  /** Whether a call waits for approval. */
  readonly requiresApproval: boolean
}

/** Restrictions on the tools of a server: those of a binding, or of the entry of an agent. */
export type ToolRestrictions = Pick<McpToolBindingSpec, 'allow' | 'requireApproval' | 'approveByHints'>

/**
 * Accepted tools of a server (M-6). None while the manifests of spec and status differ: the manager has not applied the change yet. An approved
 * manifest does not depend on the spec. Pure.
 */
export function acceptedTools({ spec, status }: Pick<McpServerObject, 'spec' | 'status'>): readonly McpTool[] {
  const { manifestDigest, approvedBy, tools = [] } = status ?? {}
  if (manifestDigest === undefined) return []
  if (approvedBy !== undefined) return tools
  return spec.acceptedManifest === undefined || spec.acceptedManifest === manifestDigest ? tools : []
}

/** Tools of a server within restrictions, which only narrow: a tool that any restriction excludes or holds for approval stays so. Pure. */
export function selectTools(tools: readonly McpTool[], restrictions: readonly ToolRestrictions[]): SelectedTool[] {
  return tools
    .filter(({ name }) => restrictions.every(({ allow }) => allow === undefined || isNamed(allow, name)))
    .map((tool) => ({ tool, requiresApproval: restrictions.some((one) => requiresApproval(one, tool)) }))
}

/** Index of the first restriction that holds the calls of a tool for approval; -1 without one. Pure. */
export function approvalHolder(tool: McpTool, restrictions: readonly ToolRestrictions[]): number {
  return restrictions.findIndex((one) => requiresApproval(one, tool))
}

function requiresApproval({ requireApproval = [], approveByHints }: ToolRestrictions, tool: McpTool): boolean {
  return isNamed(requireApproval, tool.name) || approvedByHints(approveByHints, tool)
}

function isNamed(names: readonly string[], name: string): boolean {
  return names.includes(name) || names.includes('*')
}

// Defaults of the hints: a tool is not read-only, and destructive (MCP 2025-11-25, ToolAnnotations).
function approvedByHints(by: ToolRestrictions['approveByHints'], { annotations = {} }: McpTool): boolean {
  const { readOnlyHint = false, destructiveHint = true } = annotations
  if (by === 'writes') return !readOnlyHint
  return by === 'destructive' && !readOnlyHint && destructiveHint
}
