import type { KubeClient, KubeObject, Resource } from '#core/kube/client.ts'

const accounts: Resource = {
  group: '',
  version: 'v1',
  plural: 'serviceaccounts',
  kind: 'ServiceAccount',
  namespaced: true,
}

/** A token of a service account, by TokenRequest; without an audience for the API server. */
export function tokenOf(admin: KubeClient, namespace: string, name: string, audience?: string): Promise<string> {
  return requestToken(admin, { namespace, name }, { audiences: audience === undefined ? [] : [audience] })
}

/** A token for the state role that is bound to a pod, as that of its launcher is. */
export function podTokenOf(
  admin: KubeClient,
  account: { readonly namespace: string; readonly name: string },
  pod: { readonly name: string; readonly uid: string },
): Promise<string> {
  const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', ...pod }
  return requestToken(admin, account, { audiences: ['state'], boundObjectRef })
}

async function requestToken(
  admin: KubeClient,
  metadata: { readonly namespace: string; readonly name: string },
  spec: object,
): Promise<string> {
  const request = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata,
    spec: { expirationSeconds: 3600, ...spec },
  }
  const issued = await admin.create<KubeObject<unknown, { token: string }>>(accounts, request, { subresource: 'token' })
  return issued.status?.token ?? ''
}
