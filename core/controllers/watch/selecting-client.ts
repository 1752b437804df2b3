import type { KubeClient } from '#core/kube/client.ts'

/** Wraps a client: lists and watches contain only objects with these labels. */
export function selectingClient(cluster: KubeClient, labelSelector: string): KubeClient {
  return {
    ...cluster,
    list: (resource, options) => cluster.list(resource, { ...options, labelSelector }),
    watch: (resource, options) => cluster.watch(resource, { ...options, labelSelector }),
  }
}
