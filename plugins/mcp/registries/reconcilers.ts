import { createReferenceIndex } from '#core/controllers/reference-index.ts'
import type { Reconciler } from '#core/controllers/watch/declarations.ts'
import { writeStatus } from '#core/controllers/write-status.ts'
import type { KubeClient } from '#core/kube/client.ts'
import { findNamedObject } from '#core/kube/find-named-object.ts'
import { McpToolBinding } from '#schemas/crds/mcp-tool-binding.ts'
import type { McpToolBindingObject } from '#schemas/crds/mcp-tool-binding.ts'
import { ToolRegistry } from '#schemas/crds/tool-registry.ts'
import type { ToolRegistryObject } from '#schemas/crds/tool-registry.ts'
import { collectReferences } from '#schemas/kinds/references.ts'
import { toToolRegistryStatus } from './registry-status.ts'
import type { NamedBinding } from './registry-status.ts'

// The watch delivers the newer object within this time.
const WHILE_STALE_MS = 200
// A binding that was deleted while the manager was away leaves its registries without an event.
const REFRESH_MS = 300_000

/** Writes the number of tools and the conditions of ToolRegistries, again after each change of their bindings. */
export function toolRegistryReconciler({
  cluster,
  now,
}: {
  readonly cluster: KubeClient
  readonly now: () => Date
}): Reconciler {
  const index = createReferenceIndex()
  return {
    name: 'toolregistries',
    resource: ToolRegistry,
    concern: ({ metadata: { uid, generation, deletionTimestamp } }) => [uid, generation, deletionTimestamp],
    watches: [{ resource: McpToolBinding, toRefs: async (binding) => index.referrersOf(binding) }],
    reconcile: async (ref, cached) => {
      const registry = cached as ToolRegistryObject | undefined
      // Before the bindings are read, so that their next change is not missed.
      index.set(ref, registry === undefined ? [] : collectReferences(ToolRegistry.spec, registry))
      if (registry === undefined || registry.metadata.deletionTimestamp !== undefined) return {}
      const named = await Promise.all(registry.spec.bindings.map(({ name }) => readBinding(cluster, registry, name)))
      const status = toToolRegistryStatus(registry, named, now())
      const isWritten = await writeStatus(cluster, ToolRegistry, registry, status)
      return { requeueAfterMs: isWritten ? REFRESH_MS : WHILE_STALE_MS }
    },
  }
}

async function readBinding(
  cluster: KubeClient,
  { metadata: { namespace = '' } }: ToolRegistryObject,
  name: string,
): Promise<NamedBinding> {
  return {
    name,
    binding: await findNamedObject<McpToolBindingObject>(cluster, McpToolBinding, { namespace, name }),
  }
}
