import { setTimeout as pause } from 'node:timers/promises'
import type { KubeClient, KubeObject, Resource } from '#core/kube/client.ts'
import { parseName } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
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

/** Applies the CRDs of kinds, and waits until the API server serves them. */
export async function installKinds(cluster: KubeClient, kinds: readonly AnyKind[]): Promise<void> {
  for (const kind of kinds) {
    const crd = toCrd(kind)
    const ref = { name: parseName('metadata.name', crd.metadata.name) }
    await cluster.patch<KubeObject>(definitions, ref, { type: 'apply', body: crd, force: true }, { fieldManager })
  }
  await Promise.all(kinds.map((kind) => untilServed(cluster, kind)))
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
