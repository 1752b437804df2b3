import { createHash } from 'node:crypto'
import { canonicalJson } from '#core/json/canonical-json.ts'
import { toolInterruptPrefix } from '#schemas/runs/run.ts'
import type { Interrupt } from '#schemas/runs/run.ts'
import { Refusal } from '#launcher/contract/http/refusal.ts'
import type { Approvals } from '#launcher/contract/runs/approvals.ts'
import type { OfferedTool } from './offered-tool.ts'

/** Throws `Refusal` unless the call may be made: `tool_approval_required` or `tool_call_rejected`. */
export type EnforceApproval = (
  approvals: Approvals | undefined,
  tool: OfferedTool,
  args: Readonly<Record<string, unknown>>,
) => void

/**
 * Creates the check of approvals. An approval is bound to run, tool, accepted manifest and arguments, and to one call of an attempt: repeating the
 * same call needs another approval. A call outside of a run is refused, since it cannot wait.
 */
export function createEnforceApproval(): EnforceApproval {
  const made = new WeakMap<Approvals, Map<string, number>>()
  return (approvals, tool, args) => {
    if (!tool.requiresApproval) return
    const message = `The call of ${tool.name} requires approval.`
    if (approvals === undefined) throw new Refusal('tool_approval_required', `${message} It belongs to no run.`)
    const counts = made.get(approvals) ?? new Map<string, number>()
    made.set(approvals, counts)
    const call = canonicalJson([tool.name, tool.digest, args])
    const before = counts.get(call) ?? 0
    const id = toolInterruptPrefix + createHash('sha256').update(`${before}\n${call}`).digest('hex').slice(0, 40)
    const decision = approvals.decisionOf(id)
    if (decision === 'approve') {
      counts.set(call, before + 1)
      return
    }
    if (decision === 'reject') throw new Refusal('tool_call_rejected', `The call of ${tool.name} was rejected.`)
    // Without a schema, since an agent would send edited arguments unchanged: the API refuses to edit them.
    approvals.request({ id, reason: 'approval_required', tool: tool.name, arguments: args, ...aboutTool(tool) })
    throw new Refusal('tool_approval_required', message, { 'x-should-retry': 'false' })
  }
}

// Defaults of the hints: a tool is not read-only, and destructive (MCP 2025-11-25, ToolAnnotations).
function aboutTool({ annotations = {}, approvalBy }: OfferedTool): Pick<Interrupt, 'hints' | 'policy'> {
  const readOnly = annotations['readOnlyHint'] === true
  const hints = { readOnly, destructive: !readOnly && annotations['destructiveHint'] !== false }
  return { hints, ...(approvalBy === undefined ? {} : { policy: approvalBy }) }
}
