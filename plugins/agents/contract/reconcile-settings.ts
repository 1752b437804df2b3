/** Requests and limits of a container, as in a Pod. */
export interface ContainerResources {
  readonly requests?: Readonly<Record<string, string>>
  readonly limits?: Readonly<Record<string, string>>
}

/** Settings of the pods that the manager creates. */
export interface ReconcileSettings {
  /** Image with the launcher under the paths of `image-layout.ts`. */
  readonly launcherImage: string
  readonly imagePullPolicy: 'Always' | 'IfNotPresent' | 'Never'
  /** Base URLs under which agent pods reach the platform. */
  readonly gatewayUrl: string
  readonly stateUrl: string
  readonly otlpEndpoint?: string | undefined
  /** Destinations of agents besides the platform; default `public`. */
  readonly egress?: 'public' | 'platform' | 'any'
  /** Namespace whose pods (worker, gateway) may call agents. */
  readonly systemNamespace: string
  /** `container`: an agent process has its own container; `none`: pods are processes of one user on this machine (P5). */
  readonly isolation: 'container' | 'none'
  /** User and group of an agent process; different from the launcher's. */
  readonly agentUser: number
  /** Resources of launchers, and the default for declarative agents. */
  readonly launcherResources: ContainerResources
  /** Default for an agent process, since a namespace with a ResourceQuota refuses pods without resources (PODA11). */
  readonly agentResources: ContainerResources
  /** Disk limit for containers, and for volumes on the node's disk, that set none; default: no limit. */
  readonly ephemeralStorage?: string | undefined
  /** Pull secrets of every agent, in addition to those of its spec. */
  readonly imagePullSecrets: readonly string[]
  /** Domains of annotations allowed in `spec.pod`; `*` allows every domain that no injector or network plugin reads. */
  readonly podAnnotations: readonly string[]
  /** The hardened profile: images by digest, read-only root file systems, and no agent without isolation. */
  readonly hardened: boolean
}
