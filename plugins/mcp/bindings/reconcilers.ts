import { createReferenceIndex } from '#core/controllers/reference-index.ts'
import type { Reconciler } from '#core/controllers/watch/declarations.ts'
import { writeStatus } from '#core/controllers/write-status.ts'
import type { KubeClient } from '#core/kube/client.ts'
import { findNamedObject } from '#core/kube/find-named-object.ts'
import { McpServer } from '#schemas/crds/mcp-server.ts'
import type { McpServerObject } from '#schemas/crds/mcp-server.ts'
import { McpToolBinding } from '#schemas/crds/mcp-tool-binding.ts'
import type { McpToolBindingObject } from '#schemas/crds/mcp-tool-binding.ts'
import { collectReferences } from '#schemas/kinds/references.ts'
import { toBindingStatus } from './binding-status.ts'

/** Dependencies of the status of bindings. */
export interface BindingReconcilerOptions {
  readonly cluster: KubeClient
  readonly now: () => Date
}

// The watch delivers the newer object within this time.
const WHILE_STALE_MS = 200
// A server that was deleted while the manager was away leaves its bindings without an event.
const REFRESH_MS = 300_000

/** Writes the tools of McpToolBindings to their status, again after each change of their server. */
export function bindingReconciler({ cluster, now }: BindingReconcilerOptions): Reconciler {
  const index = createReferenceIndex()
  return {
    name: 'mcptoolbindings',
    resource: McpToolBinding,
    concern: ({ metadata: { uid, generation, deletionTimestamp } }) => [uid, generation, deletionTimestamp],
    watches: [{ resource: McpServer, toRefs: async (server) => index.referrersOf(server) }],
    reconcile: async (ref, cached) => {
      const binding = cached as McpToolBindingObject | undefined
      // Before the server is read, so that its next change is not missed.
      index.set(ref, binding === undefined ? [] : collectReferences(McpToolBinding.spec, binding))
      if (binding === undefined || binding.metadata.deletionTimestamp !== undefined) return {}
      const server = await findServer(cluster, binding)
      const isWritten = await writeStatus(cluster, McpToolBinding, binding, toBindingStatus(binding, server, now()))
      return { requeueAfterMs: isWritten ? REFRESH_MS : WHILE_STALE_MS }
    },
  }
}

/** Reads the server of a binding, which is in the same namespace. */
export function findServer(
  cluster: Pick<KubeClient, 'get'>,
  { metadata: { namespace = '' }, spec: { serverRef } }: Pick<McpToolBindingObject, 'metadata' | 'spec'>,
): Promise<McpServerObject | undefined> {
  return findNamedObject<McpServerObject>(cluster, McpServer, { namespace, name: serverRef.name })
}
