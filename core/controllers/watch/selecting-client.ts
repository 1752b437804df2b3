import type { KubeClient } from '#core/kube/client.ts'

/** A client whose lists and watches have objects with these labels only. */
export function selectingClient(cluster: KubeClient, labelSelector: string): KubeClient {
  return {
    ...cluster,
    list: (resource, options) => cluster.list(resource, { ...options, labelSelector }),
    watch: (resource, options) => cluster.watch(resource, { ...options, labelSelector }),
  }
}
