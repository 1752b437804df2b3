import type { AnyPlugin } from '#core/host/plugin.ts'

/** Every plugin of the platform, in the order in which independent ones load. */
export const plugins: readonly AnyPlugin[] = []
