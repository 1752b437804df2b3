import type { FastifyInstance } from 'fastify'
import { METHODS } from 'node:http'
import { Fail } from '#core/errors/domain-error.ts'
import type { MountedEndpoint } from '../endpoint/mounted-endpoint.ts'

/** Methods of one path, and whether any of its endpoints is ready. */
interface PathMethods {
  readonly url: string
  readonly allow: readonly string[]
  readonly ready: boolean
}

/** Methods registered for every path, with 405 unless it has an endpoint for them. */
export const commonMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'] as const

/**
 * Registers 405 with `Allow` for every path and missing method (X5). Runs after all plugins are mounted, since two plugins may share a
 * path. If all its endpoints are unwired, the gate's 501 takes precedence.
 */
export function registerMethodNotAllowed(root: FastifyInstance, catalog: readonly MountedEndpoint[]): void {
  for (const { url, allow, ready } of methodsByPath(catalog)) {
    const others = commonMethods.filter((method) => !allow.includes(method))
    root.route({
      method: [...others],
      url,
      config: { methodNotAllowed: true },
      onRequest: async () => {
        throw ready ? notAllowed(allow) : new Fail('not_wired')
      },
      handler: async () => undefined,
    })
  }
}

/** Returns the 405 for a rare method such as PROPFIND. These are not registered, since that would add a thousand routes. */
export function rareMethodFail(
  { method, url }: { readonly method: string; readonly url: string },
  catalog: readonly MountedEndpoint[],
  publicPaths: ReadonlyMap<string, readonly string[]>,
): Fail | undefined {
  if (commonMethods.some((common) => common === method) || !METHODS.includes(method)) return undefined
  const path = url.split(/[?#]/, 1)[0] ?? ''
  const allow = publicPaths.get(path)
  if (allow !== undefined) return notAllowed(allow)
  // As in the router, a literal segment takes precedence over a parameter: `/cases/import` is no case.
  const [found] = methodsByPath(catalog)
    .filter((candidate) => matches(candidate.url, path))
    .toSorted((one, other) => parametersIn(one.url) - parametersIn(other.url))
  if (found === undefined) return undefined
  return found.ready ? notAllowed(found.allow) : new Fail('not_wired')
}

function parametersIn(url: string): number {
  return url.split('/:').length - 1
}

/** Creates a 405 with `Allow`. */
export function notAllowed(allow: readonly string[]): Fail {
  return new Fail('method_not_allowed', undefined, { headers: { allow: allow.join(', ') } })
}

function methodsByPath(catalog: readonly MountedEndpoint[]): readonly PathMethods[] {
  const groups = Map.groupBy(catalog, ({ prefix, endpoint }) => pathPattern({ prefix, url: endpoint.url }))
  return [...groups.values()].map((group) => {
    const methods = new Set<string>(group.map(({ endpoint }) => endpoint.method))
    if (methods.has('GET')) methods.add('HEAD')
    const [first] = group
    return {
      url: `${first?.prefix ?? ''}${first?.endpoint.url ?? ''}`,
      allow: commonMethods.filter((method) => methods.has(method)),
      ready: group.some(({ wiring }) => wiring === 'ready'),
    }
  })
}

/** Path without the names of its parameters, since two plugins may name the same segment differently. */
export function pathPattern({ prefix, url }: { readonly prefix: string; readonly url: string }): string {
  return `${prefix}${url}`.replaceAll(/:[A-Za-z]+/g, ':')
}

function matches(pattern: string, path: string): boolean {
  if (pattern.endsWith('/*')) return path.startsWith(pattern.slice(0, -1))
  const expected = pattern.split('/')
  const given = path.split('/')
  return (
    expected.length === given.length &&
    expected.every((part, i) => part === given[i] || (part.startsWith(':') && given[i] !== ''))
  )
}
