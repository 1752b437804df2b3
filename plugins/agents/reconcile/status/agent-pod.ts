import type { KubeObject } from '#core/kube/client.ts'

/** Termination of a container, as the kubelet reports it. */
export interface ContainerTermination {
  readonly exitCode?: number
  readonly reason?: string
  readonly finishedAt?: string | null
  readonly message?: string
}

/** Status of one container of a Pod, reduced to the fields that are read here. */
export interface ContainerStatus {
  readonly name: string
  readonly ready?: boolean
  readonly restartCount?: number
  readonly state?: {
    readonly waiting?: { readonly reason?: string; readonly message?: string }
    readonly running?: { readonly startedAt?: string }
    readonly terminated?: ContainerTermination
  }
  readonly lastState?: { readonly terminated?: ContainerTermination }
}

interface ContainerSpec {
  readonly name: string
  readonly resources?: { readonly limits?: Readonly<Record<string, string | number>> }
}

/** A Pod, reduced to the fields that are read here. */
export type AgentPod = KubeObject<
  {
    readonly restartPolicy?: string
    readonly volumes?: readonly { readonly secret?: { readonly secretName?: string } }[]
    readonly containers?: readonly ContainerSpec[]
    readonly initContainers?: readonly ContainerSpec[]
  },
  {
    readonly phase?: string
    readonly podIP?: string
    readonly conditions?: readonly {
      readonly type: string
      readonly status: string
      readonly reason?: string
      readonly message?: string
    }[]
    readonly containerStatuses?: readonly ContainerStatus[]
    readonly initContainerStatuses?: readonly ContainerStatus[]
  }
>
