import { consentInterruptPrefix } from '#schemas/runs/run.ts'
import { toConsentKey } from '#schemas/names/consent-key.ts'
import { Refusal } from '#launcher/contract/http/refusal.ts'
import type { Approvals } from '#launcher/contract/runs/approvals.ts'
import type { OfferedTool } from './offered-tool.ts'

/** A call that the state role refused, since the subject of its run has not consented. */
export interface UnconsentedCall {
  readonly tool: Pick<OfferedTool, 'name' | 'server'>
  readonly runId: string | undefined
  readonly approvals: Approvals | undefined
}

/** Whether a call was refused because it needs a consent. */
export function needsConsent(error: unknown): boolean {
  return error instanceof Refusal && error.code === 'tool_auth_required'
}

/**
 * Requests the consent, for which the run pauses, and returns the refusal of the call. A run asks once for each server, and again each time it was
 * resumed in vain. A consent that a person has declined is a rejected call.
 */
export function requestConsent({ tool, runId, approvals }: UnconsentedCall): Refusal {
  const message = `The call of ${tool.name} requires consent to the MCP server ${tool.server}.`
  if (approvals === undefined || runId === undefined)
    return new Refusal('tool_auth_required', `${message} It belongs to no run.`)
  const [namespace = '', server = ''] = tool.server.split('/')
  const idOf = (number: number): string => `${consentInterruptPrefix}${toConsentKey(namespace, server)}_${number}`
  let number = 0
  while (approvals.decisionOf(idOf(number)) === 'approve') number += 1
  const id = idOf(number)
  if (approvals.decisionOf(id) === 'reject')
    return new Refusal('tool_call_rejected', `The consent to the MCP server ${tool.server} was declined.`)
  const consent = { namespace, server, path: `/consent/${namespace}/${server}?run=${runId}` }
  approvals.request({ id, reason: 'auth_required', tool: tool.name, question: message, consent })
  return new Refusal('tool_auth_required', message, { 'x-should-retry': 'false' })
}
