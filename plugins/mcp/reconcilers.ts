import type { ReconcileResult, Reconciler } from '#core/controllers/watch/declarations.ts'
import { writeStatus } from '#core/controllers/write-status.ts'
import type { Subject } from '#core/event-store/event.ts'
import type { KubeClient, ObjectRef } from '#core/kube/client.ts'
import { parseRef } from '#core/kube/names.ts'
import { McpServer } from '#schemas/crds/mcp-server.ts'
import type { McpServerObject, McpServerStatus } from '#schemas/crds/mcp-server.ts'
import { durationToMs } from '#schemas/values/duration.ts'
import type { Approvals } from './approvals/approvals.ts'
import { findCredential } from './client/credential.ts'
import type { FoundCredential } from './client/credential.ts'
import { grantCreated, manifestApproved, manifestRejected } from './contract/events.ts'
import type { Discoveries } from './discovery/discoveries.ts'
import type { GrantTokens } from './oauth/tokens/grant-tokens.ts'
import { configuredClientOf } from './oauth/server/configured-clients.ts'
import type { ConfiguredClient } from './oauth/server/configured-clients.ts'
import { toServerStatus } from './status/server-status.ts'

/** Dependencies of the status of servers. */
export interface ServerReconcilerOptions {
  readonly cluster: KubeClient
  readonly discoveries: Discoveries
  /** Approvals, where manifests need one. */
  readonly approvals: Approvals | undefined
  /** Tokens of persons who may change a server, for manifests of servers with grants. Undefined without a store. */
  readonly grantTokens?: Pick<GrantTokens, 'ofManifest'> | undefined
  /** Keeps the secret of a configured client for consents; undefined removes it. Undefined without a store. */
  readonly keepClientSecret?: ((client: ConfiguredClient, secret: string | undefined) => Promise<void>) | undefined
  readonly now: () => Date
}

// The watch delivers the newer object within this time.
const WHILE_STALE_MS = 200
const WHILE_READING_MS = 1_000
// A broken server, or a Secret that the manager may not watch, is checked again.
const WHILE_BROKEN_MS = 15_000
const REFRESH_MS = 300_000

/** Reads the manifests of McpServers, and writes tools and conditions. */
export function serverReconciler(options: ServerReconcilerOptions): Reconciler {
  const { discoveries } = options
  const uids = new Map<string, string>()
  return {
    name: 'mcpservers',
    resource: McpServer,
    // The first grant shows the tools of a server.
    watches: [
      {
        events: [manifestApproved, manifestRejected, grantCreated],
        toRefs: async ({ subject }) => [refOfEvent(subject)],
      },
    ],
    concern: ({ metadata: { uid, generation, deletionTimestamp }, status }) => [
      uid,
      generation,
      deletionTimestamp,
      (status as McpServerStatus | undefined)?.failedCall,
    ],
    reconcile: async ({ namespace = '', name }, cached) => {
      const server = cached as McpServerObject | undefined
      const key = `${namespace}/${name}`
      const uid = server?.metadata.deletionTimestamp === undefined ? server?.metadata.uid : undefined
      const before = uids.get(key)
      if (before !== undefined && before !== uid) discoveries.forget(before)
      if (server === undefined || uid === undefined) {
        uids.delete(key)
        return {}
      }
      uids.set(key, uid)
      return reconcileServer(options, server)
    },
  }
}

function refOfEvent({ namespace = '', name }: Subject): ObjectRef {
  return parseRef({ namespace, name })
}

async function reconcileServer(options: ServerReconcilerOptions, server: McpServerObject): Promise<ReconcileResult> {
  const { cluster, discoveries, approvals, now } = options
  const { uid = '', namespace = '', generation = 0 } = server.metadata
  const { url, refreshInterval = '' } = server.spec
  const refreshMs = durationToMs(refreshInterval) ?? REFRESH_MS
  const maxAgeMs = (status: McpServerStatus | undefined): number => (isBroken(status) ? WHILE_BROKEN_MS : refreshMs)
  const credential = await credentialOf(options, server)
  const discovery =
    'reason' in credential
      ? undefined
      : await discoveries.get(
          { uid, generation, namespace, url, ...credential, changedAt: changedAt(server) },
          maxAgeMs(server.status),
        )
  const isReading = discovery === undefined && !('reason' in credential)
  // The previous findings stay until the server has been read again.
  if (isReading && server.status?.observedGeneration === generation && !isUnresolved(server))
    return { requeueAfterMs: WHILE_READING_MS }
  const approved = await approvals?.approvedOf(server)
  const status = toServerStatus(server, { credential, discovery, approved, now: now() })
  if (!(await writeStatus(cluster, McpServer, server, status))) return { requeueAfterMs: WHILE_STALE_MS }
  return { requeueAfterMs: isReading ? WHILE_READING_MS : maxAgeMs(status) }
}

// A fault of the authorization server shows at the next read, like a server without a grant.
async function credentialOf(
  { cluster, grantTokens, keepClientSecret }: ServerReconcilerOptions,
  server: McpServerObject,
): Promise<FoundCredential> {
  const { metadata, spec } = server
  const { uid: serverUid = '', namespace = '' } = metadata
  if (spec.auth?.kind !== 'oauth') return findCredential(cluster, namespace, spec)
  const client = configuredClientOf(server)
  if (client !== undefined) {
    const found = await findCredential(cluster, namespace, spec)
    await keepClientSecret?.(client, 'reason' in found ? undefined : found.bearer)
    if ('reason' in found) return found
  }
  const token = await grantTokens?.ofManifest({ serverUid, url: spec.url }).catch(() => undefined)
  return { bearer: token?.bearer }
}

// A call has found a changed manifest, so it is read immediately.
function changedAt({ status }: McpServerObject): string | undefined {
  return status?.failedCall?.reason === 'ManifestChanged' ? status.failedCall.time : undefined
}

// The Secret of a server may come without a change of the server.
function isUnresolved({ status }: McpServerObject): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === 'ResolvedRefs' && value === 'False') === true
}

// A manifest that waits for acceptance is read again when the spec accepts it, so it is not polled. Nor is a server whose calls fail.
const others: ReadonlySet<string> = new Set(['ManifestAccepted', 'Ready', 'CallsSucceed'])

function isBroken(status: McpServerStatus | undefined): boolean {
  return status?.conditions?.some(({ type, status: value }) => !others.has(type) && value === 'False') === true
}
