import fastifyPlugin from 'fastify-plugin'
import type { FastifyInstance, FastifyPluginAsync } from 'fastify'

/** Parts of a server. Fastify names them where one is missing. */
export type PartName =
  | 'mesh-services'
  | 'mesh-bodies'
  | 'mesh-problem'
  | 'mesh-telemetry'
  | 'mesh-limits'
  | 'mesh-bearer'
  | 'mesh-gate'
  | 'mesh-routes'
  | 'mesh-openapi'
  | 'mesh-console'
  | 'mesh-oauth-client'
  | 'mesh-sessions'

type Add = (app: FastifyInstance) => void | Promise<void>

/** Declares a part of the root: its hooks and handlers apply to everything mounted. The parts that it needs are registered before it. */
export function serverPart(name: PartName, needs: readonly PartName[], add: Add): FastifyPluginAsync {
  return fastifyPlugin(async (app) => add(app), { name, dependencies: [...needs], fastify: '5.x' })
}

/** Declares a part with its own scope, such as the routes of a plugin. */
export function scopedPart(name: PartName, needs: readonly PartName[], add: Add): FastifyPluginAsync {
  return fastifyPlugin(async (app) => add(app), { name, dependencies: [...needs], fastify: '5.x', encapsulate: true })
}

/** A value that one part hands to later ones, stored as a decorator of the root under a symbol, so that features add none. */
export function partValue<T>(name: string): {
  provide(root: FastifyInstance, value: T): void
  of(scope: FastifyInstance): T
} {
  const key = Symbol(name)
  return {
    provide: (root, value) => {
      root.decorate<unknown>(key, value)
    },
    of: (scope) => scope.getDecorator<T>(key),
  }
}
