import { Refusal } from '../contract/http/refusal.ts'
import type { Route } from '../contract/http/port.ts'

/** A route with the parameters of a request's path. */
export interface RouteMatch {
  readonly route: Route
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
}

/** Creates the look-up of routes by method and target; it throws `Refusal` (404, or 405 with Allow). */
export function createMatcher(routes: readonly Route[]): (method: string, target: string) => RouteMatch {
  const patterns = routes.map((route) => ({ route, segments: route.path.split('/') }))
  return (method, target) => {
    const cut = target.indexOf('?')
    const path = (cut === -1 ? target : target.slice(0, cut)).split('/')
    const found = patterns.filter(({ segments }) => fits(segments, path))
    if (found.length === 0) throw new Refusal('not_found')
    const hit = found.find(({ route }) => route.method === method)
    if (hit === undefined) {
      const allow = found.map(({ route }) => route.method).join(', ')
      throw new Refusal('method_not_allowed', undefined, { allow })
    }
    const query = new URLSearchParams(cut === -1 ? '' : target.slice(cut + 1))
    return { route: hit.route, params: paramsOf(hit.segments, path), query }
  }
}

function fits(segments: readonly string[], path: readonly string[]): boolean {
  return segments.length === path.length && segments.every((part, at) => part.startsWith(':') || part === path[at])
}

function paramsOf(segments: readonly string[], path: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {}
  for (const [at, part] of segments.entries()) if (part.startsWith(':')) params[part.slice(1)] = path[at] ?? ''
  return params
}
