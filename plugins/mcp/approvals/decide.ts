import type { Caller } from '#core/cluster/caller.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { accountActor } from '#core/event-store/event.ts'
import type { Store } from '#core/event-store/store.ts'
import type { ObjectRef } from '#core/kube/client.ts'
import { McpServer } from '#schemas/crds/mcp-server.ts'
import type { McpServerObject } from '#schemas/crds/mcp-server.ts'
import { mcpErrors } from '../contract/errors.ts'
import { manifestApproved, manifestRejected } from '../contract/events.ts'
import { appendDecision } from './append-decision.ts'
import type { AppendedDecision } from './append-decision.ts'
import type { FindLastWriter } from './last-writer.ts'

/** What decisions need. */
export interface DecideOptions {
  readonly store: Store
  readonly findLastWriter: FindLastWriter
  /** Whether manifests need an approval (setting mcp.requireAcceptance). */
  readonly isRequired: boolean
}

/** A decision of a caller on a manifest. */
export interface ManifestDecision {
  readonly ref: ObjectRef
  readonly digest: string | undefined
  readonly reason: string | undefined
  readonly traceparent: string
}

/**
 * Approves a manifest that waits. Throws `manifest_changed` for another digest, `author_may_not_approve` for the author of the server, and
 * `author_unknown` unless the author was authenticated.
 */
export async function approveManifest(
  options: DecideOptions,
  caller: Caller,
  decision: ManifestDecision,
): Promise<string> {
  const server = await readServer(options, caller, decision.ref)
  const digest = waitingDigest(server, decision.digest)
  const author = await options.findLastWriter(server)
  if (author === undefined)
    throw new Fail(
      mcpErrors.author_unknown,
      'No authenticated write of the current spec is recorded. Write the server over the API, or wait some seconds after a write.',
    )
  if (author === caller.username)
    throw new Fail(mcpErrors.author_may_not_approve, 'Another person than the last author of the server approves it.')
  await record(options, server, { type: manifestApproved, digest, caller, decision })
  return digest
}

/** Rejects a manifest that waits, or revokes the approval of the one in use. Throws `manifest_changed` for another digest. */
export async function rejectManifest(
  options: DecideOptions,
  caller: Caller,
  decision: ManifestDecision,
): Promise<string> {
  const server = await readServer(options, caller, decision.ref)
  const isInUse = decision.digest !== undefined && decision.digest === server.status?.manifestDigest
  const digest = isInUse ? decision.digest : waitingDigest(server, decision.digest)
  await record(options, server, { type: manifestRejected, digest, caller, decision })
  return digest
}

async function readServer(
  { isRequired }: DecideOptions,
  { cluster }: Caller,
  ref: ObjectRef,
): Promise<McpServerObject> {
  const server = await cluster.get<McpServerObject>(McpServer, ref)
  if (isRequired) return server
  throw new Fail(
    mcpErrors.approval_not_required,
    'This installation requires no approvals (setting mcp.requireAcceptance): set spec.acceptedManifest instead.',
  )
}

function waitingDigest({ status }: McpServerObject, given: string | undefined): string {
  const waiting = status?.proposed?.digest
  if (waiting === undefined)
    throw new Fail(mcpErrors.manifest_changed, 'No manifest of the server waits for an approval.')
  if (given !== undefined && given !== waiting)
    throw new Fail(mcpErrors.manifest_changed, `The manifest that waits is now ${waiting}.`)
  return waiting
}

async function record(
  { store }: DecideOptions,
  server: McpServerObject,
  { type, digest, caller, decision: { reason, traceparent } }: MadeDecision,
): Promise<void> {
  const data = { digest, ...(reason === undefined ? {} : { decisionReason: reason }) }
  await appendDecision(store, server, { type, actor: accountActor(caller.username), data, traceparent })
}

interface MadeDecision extends Pick<AppendedDecision, 'type'> {
  readonly digest: string
  readonly caller: Caller
  readonly decision: ManifestDecision
}
