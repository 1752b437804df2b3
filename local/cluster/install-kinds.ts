import { setTimeout as pause } from 'node:timers/promises'
import { pluginTitle } from '#core/host/load/plugin-title.ts'
import { BootError } from '#core/host/load/startup-error.ts'
import type { KubeClient, KubeObject, Resource } from '#core/kube/client.ts'
import { parseName } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'
import { toCrd } from '#schemas/kinds/crd.ts'
import type { AnyKind } from '#schemas/kinds/kind.ts'

const definitions: Resource = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
}
const fieldManager = 'mesh-local'
const SERVED_MS = 10_000

/** Applies the CRDs of the kinds of plugins, and waits until the API server serves them. Throws `BootError` with plugin and kind if it refuses one. */
export async function installKinds(cluster: KubeClient, plugins: readonly AnyPlugin[]): Promise<void> {
  const owned = plugins.flatMap((plugin) => (plugin.kinds ?? []).map(({ kind }) => ({ plugin, kind })))
  for (const one of owned) await named(one, apply(cluster, one.kind))
  await Promise.all(owned.map((one) => named(one, untilServed(cluster, one.kind))))
}

interface OwnedKind {
  readonly plugin: AnyPlugin
  readonly kind: AnyKind
}

function named({ plugin, kind }: OwnedKind, work: Promise<unknown>): Promise<unknown> {
  return work.catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error)
    throw new BootError(`${pluginTitle(plugin)}: the API server refuses its kind ${kind.kind}: ${why}`, error)
  })
}

async function apply(cluster: KubeClient, kind: AnyKind): Promise<void> {
  const crd = toCrd(kind)
  const ref = { name: parseName('metadata.name', crd.metadata.name) }
  await cluster.patch<KubeObject>(definitions, ref, { type: 'apply', body: crd, force: true }, { fieldManager })
}

async function untilServed(cluster: KubeClient, kind: AnyKind): Promise<void> {
  const end = performance.now() + SERVED_MS
  for (;;) {
    try {
      await cluster.list(kind, { limit: 1 })
      return
    } catch (error) {
      if (!isStatus(error, 404) || performance.now() > end) throw error
    }
    await pause(20)
  }
}
