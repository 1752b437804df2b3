import { ApiProblem } from '#ui/api/api-problem.ts'
import { requestApi, sendApi } from '#ui/api/request-api.ts'
import { toEdited } from '#ui/kinds/kind-object.ts'
import type { KindObject } from '#ui/kinds/kind-object.ts'
import { asksForAcceptance, toServerState } from './server-state.ts'
import { toolText } from './text.ts'

const text = toolText.decision

/** A manifest that waits, as it was shown: its digest is part of each decision. */
export interface WaitingManifest {
  readonly namespace: string
  readonly name: string
  readonly digest: string
}

/** Approves a manifest. Where no approval is required, it is accepted in the spec of its server. */
export async function sendApproval(manifest: WaitingManifest, note = ''): Promise<void> {
  const { namespace, name, digest } = manifest
  const body = { digest, ...(note === '' ? {} : { note }) }
  try {
    await sendApi({ method: 'POST', path: ['mcp', 'approvals', namespace, name], body })
  } catch (failure) {
    if (!(failure instanceof ApiProblem)) throw failure
    const { code, status } = failure.facts
    const isMaybeNotRequired = status === 403 || status === 501
    if (code !== 'approval_not_required' && !isMaybeNotRequired) throw failure
    const object = await readServer(manifest)
    // A write of the spec makes its writer the author, who may then not approve: it is sent only where it has an effect.
    if (isMaybeNotRequired && !asksForAcceptance(object, digest)) throw failure
    await acceptIn(object, digest)
  }
}

/** Rejects a manifest. */
export async function sendRejection({ namespace, name, digest }: WaitingManifest, reason: string): Promise<void> {
  await sendApi({ method: 'POST', path: ['mcp', 'approvals', namespace, name, 'reject'], body: { digest, reason } })
}

async function readServer({ namespace, name }: WaitingManifest): Promise<KindObject> {
  return (await (await requestApi({ path: ['mcpservers', namespace, name] })).json()) as KindObject
}

async function acceptIn(object: KindObject, digest: string): Promise<void> {
  const { namespace = '', name, resourceVersion } = object.metadata
  if (toServerState(object).proposed !== digest) {
    const detail = text.refusals.manifest_changed
    throw new ApiProblem({ status: 409, title: detail, detail, code: 'manifest_changed' })
  }
  const body = { ...toEdited(object), spec: { ...(object.spec as object), acceptedManifest: digest } }
  const headers = resourceVersion === undefined ? {} : { 'if-match': `"${resourceVersion}"` }
  await sendApi({ method: 'PUT', path: ['mcpservers', namespace, name], body, headers })
}
