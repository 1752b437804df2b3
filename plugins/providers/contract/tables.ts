/** Tables of the plugin. */
export interface ProvidersTables {
  readonly providers_health: ProviderHealthTable
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
