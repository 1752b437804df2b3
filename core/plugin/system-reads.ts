/** Part of a plugin that `context.system` needs. */
interface ReadablePlugin {
  readonly name: string
  readonly create: (...args: never) => object
  readonly system?: (services: never) => unknown
}

/** Type of the reads that a plugin offers without a proof of access. */
export type SystemOf<P> = P extends { readonly system?: (services: never) => infer System } ? System : undefined

/**
 * Reads of other plugins without a proof of access, for roles that act for the installation. BFF and gateway act for callers, and their
 * contexts lack it.
 */
export interface SystemReads {
  /**
   * Returns the system reads of a plugin among the needs of this one. For `optional(plugin)` it returns undefined while that plugin is not
   * available.
   */
  system<P extends ReadablePlugin>(plugin: P): SystemOf<P>
  system<P extends ReadablePlugin>(plugin: { readonly optional: P }): SystemOf<P> | undefined
}
