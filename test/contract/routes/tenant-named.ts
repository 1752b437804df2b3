import type { KubeObject } from '#core/kube/client.ts'
import { Tenant } from '#schemas/crds/tenant.ts'

/** A tenant; its namespace does not exist, so that no agent of the suite changes. */
export function tenantNamed(name: string): KubeObject {
  const { apiVersion, kind } = Tenant
  return { apiVersion, kind, metadata: { name }, spec: { namespaces: ['nowhere'], quota: { concurrency: 1 } } }
}
