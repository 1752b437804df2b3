import { nearest } from '#schemas/values/nearest.ts'
import type { MountedEndpoint } from '../endpoint/mounted-endpoint.ts'

// No route has more; a path with thousands of segments is not compared.
const MAX_SEGMENTS = 16

/**
 * `path has no route; did you mean /api/agents/{ns}/{name}?`: the published path that differs from this one in one word. Undefined if none
 * does. Names of objects match any parameter, so that the suggestion says nothing about what exists.
 */
export function suggestRoute(path: string, catalog: readonly MountedEndpoint[]): string | undefined {
  const given = path.split('/', MAX_SEGMENTS + 1)
  for (const { prefix, endpoint } of catalog) {
    const route = `${prefix}${endpoint.url}`
    if (differsInOneWord(route.split('/'), given))
      return `path has no route; did you mean ${route.replaceAll(/:([A-Za-z]+)/g, '{$1}')}?`
  }
  return undefined
}

function differsInOneWord(route: readonly string[], given: readonly string[]): boolean {
  if (route.length !== given.length) return false
  const wrong = route.filter((part, index) => part !== given[index] && !(part.startsWith(':') && given[index] !== ''))
  const [word = ''] = wrong
  return wrong.length === 1 && nearest(given[route.indexOf(word)] ?? '', [word]) !== undefined
}
