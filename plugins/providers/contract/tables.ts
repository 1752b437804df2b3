/** Tables of the plugin. */
export interface ProvidersTables {
  readonly providers_health: ProviderHealthTable
  readonly providers_gateways: ReportingGatewayTable
}

/** Row of `providers_gateways`: a gateway process that reports the targets of routes. */
export interface ReportingGatewayTable {
  readonly name: string
  readonly seen_at: Date
}

/** Row of `providers_health`. */
export interface ProviderHealthTable {
  readonly namespace: string
  readonly name: string
  /** JSON: see `SeenAttempt`. */
  readonly attempts: unknown
  readonly last_success_at: Date | null
  readonly last_error_at: Date | null
  readonly last_error_class: string | null
}
