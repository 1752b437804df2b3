/** What the manager is told about the pods that it makes. */
export interface ReconcileSettings {
  /** Image with the launcher under the paths of `image-layout.ts`. */
  readonly launcherImage: string
  readonly imagePullPolicy: 'Always' | 'IfNotPresent' | 'Never'
  /** Base URLs as agent pods reach them. */
  readonly gatewayUrl: string
  readonly stateUrl: string
  readonly otlpEndpoint?: string | undefined
  /** Namespace whose pods (worker, gateway) may call agents. */
  readonly systemNamespace: string
  /** `user`: the agent process runs as another user than its launcher, which needs CAP_SETUID; `none`: it cannot (P5). */
  readonly isolation: 'user' | 'none'
  /** The hardened profile: images by digest, and no agent without isolation. */
  readonly hardened: boolean
}
