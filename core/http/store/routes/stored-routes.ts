import type { AnyEndpoint } from '../../endpoint/endpoint.ts'
import { childRoutes } from './child-routes.ts'
import { getRoutes, listRoutes } from './read-routes.ts'
import { revisionRoutes } from './revision-routes.ts'
import type { StoredRouteOptions } from './stored-options.ts'
import type { StoredResource } from '../declared/stored-resource.ts'
import type { StoredServices } from './stored-services.ts'
import { createRoutes, deleteRoutes, updateRoutes } from './write-routes.ts'

/** The routes of a stored resource: its operations, and those of its revisions and of what is below its objects. */
export function storedRoutes(
  services: StoredServices,
  resource: StoredResource,
  options: StoredRouteOptions,
): readonly AnyEndpoint[] {
  return [listRoutes, getRoutes, createRoutes, updateRoutes, deleteRoutes, revisionRoutes, childRoutes].flatMap(
    (routes) => routes(services, resource, options),
  )
}
