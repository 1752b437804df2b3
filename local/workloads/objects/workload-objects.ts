import type { KubeObject, OwnerReference, Resource } from '#core/kube/client.ts'

/** One container of a pod template: the fields that are used here. */
export interface Container {
  readonly name: string
  readonly image?: string
  readonly command?: readonly string[]
  readonly args?: readonly string[]
  readonly restartPolicy?: string
  readonly env?: readonly {
    readonly name: string
    readonly value?: string
    readonly valueFrom?: {
      readonly fieldRef?: { readonly fieldPath: string }
      readonly secretKeyRef?: { readonly name: string; readonly key: string }
      readonly configMapKeyRef?: { readonly name: string; readonly key: string }
    }
  }[]
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[]
}

/** One volume of a pod template, of the types that agents use. */
export interface Volume {
  readonly name: string
  readonly emptyDir?: object
  readonly configMap?: { readonly name: string }
  readonly secret?: { readonly secretName: string }
  readonly projected?: {
    readonly sources: readonly {
      readonly serviceAccountToken?: {
        readonly audience?: string
        readonly path: string
        readonly expirationSeconds?: number
      }
    }[]
  }
}

/** The pod template of a Deployment or Job. */
export interface PodTemplate {
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
  }
  readonly spec: {
    readonly serviceAccountName?: string
    readonly terminationGracePeriodSeconds?: number
    readonly initContainers?: readonly Container[]
    readonly containers: readonly Container[]
    readonly volumes?: readonly Volume[]
  }
}

/** A Deployment: the fields that are used here. */
export type LocalDeployment = KubeObject<
  { readonly replicas?: number; readonly progressDeadlineSeconds?: number; readonly template: PodTemplate },
  Readonly<Record<string, unknown>>
>

/** A Job: the fields that are used here. */
export type LocalJob = KubeObject<
  { readonly backoffLimit?: number; readonly template: PodTemplate },
  Readonly<Record<string, unknown>> & {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[]
  }
>

/** A Pod. */
export type Pod = KubeObject<PodTemplate['spec'], Readonly<Record<string, unknown>>>

/** REST resources that are read and written. */
export const workloadResources = {
  deployments: resource('apps', 'deployments', 'Deployment'),
  jobs: resource('batch', 'jobs', 'Job'),
  pods: resource('', 'pods', 'Pod'),
  configMaps: resource('', 'configmaps', 'ConfigMap'),
  secrets: resource('', 'secrets', 'Secret'),
  serviceAccounts: resource('', 'serviceaccounts', 'ServiceAccount'),
} as const

/** Owner reference from a pod to its workload. */
export function controllerReference(owner: KubeObject): OwnerReference {
  const { name, uid = '' } = owner.metadata
  return { apiVersion: owner.apiVersion, kind: owner.kind, name, uid, controller: true, blockOwnerDeletion: true }
}

function resource(group: string, plural: string, kind: string): Resource {
  return { group, version: 'v1', plural, kind, namespaced: true }
}
