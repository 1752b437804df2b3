import assert from 'node:assert/strict'
import { caseOf, cells } from './matrix.ts'
import type { Summary } from './summary.ts'
import type { World } from './world.ts'

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { 'x-mesh-authz': string }>>>>
}

/** The API's own OpenAPI document. */
export async function openApi({ platform }: Pick<World, 'platform'>): Promise<OpenApi> {
  return (await platform.send({ path: '/openapi.json' })).json<OpenApi>()
}

const common = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']

/** Every path with every other method: 405 with `Allow`, 401 without a bearer, and no request but the username look-up (X5). */
export async function otherMethods(world: World, summary: Summary): Promise<void> {
  const { send, tokens } = world.platform
  const mark = await world.platform.upstream.mark()
  for (const [path, operations] of Object.entries((await openApi(world)).paths)) {
    const methods = Object.keys(operations).map((method) => method.toUpperCase())
    const allow = common.filter((method) => methods.includes(method) || (method === 'HEAD' && methods.includes('GET')))
    const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => (name === 'kind' ? 'agent' : 'demo'))
    for (const method of [...common, 'PROPFIND'].filter((one) => !allow.includes(one))) {
      await summary.hold('405', async () => {
        const answer = await send({ method, path: url, bearer: tokens.viewer })
        const wanted = [405, allow.join(', ')]
        assert.deepEqual([answer.status, answer.headers['allow']], wanted, `${method} ${url}: ${answer.text}`)
        assert.equal((await send({ method, path: url })).status, 401, `${method} ${url} without a bearer`)
      })
      summary.add('405', 'cells')
    }
  }
  // Authentication precedes routing and is cached; a wrong method causes no other request.
  const asked = (await world.platform.upstream.since(mark)).filter(
    ({ user, uri }) => user === 'viewer' && !uri.endsWith('/selfsubjectreviews'),
  )
  assert.deepEqual(asked, [], 'a wrong method asks for nothing but the username')
}

const spellings: readonly ((path: string) => string)[] = [
  (path) => `${path}/`,
  (path) => `/${path}`,
  (path) => path.replace('/api/', '/api//'),
  (path) => path.replace('/api/', '/API/'),
  (path) => path.replace('/api/', '/%61pi/'),
  (path) => path.replace('/api/', '/api%2f'),
  (path) => path.replace('/api/', '/x/../api/'),
  (path) => path.replace('/api/', '/api/./'),
  (path) => path.replace('/api/', '/\\api/'),
  (path) => `${path};a=b`,
  (path) => `${path}%00`,
  (path) => `${path}%20`,
]

/** Odd spellings of every route's path, with and without a bearer, give access to nothing more than the plain spelling (X4). */
export async function oddSpellings(world: World, summary: Summary): Promise<void> {
  const { send, tokens } = world.platform
  // Spelling concerns the router, so one target of each route is enough.
  const one = new Map(cells().map((cell) => [cell.route, cell]))
  for (const { route, target } of one.values()) {
    const request = caseOf({ route }).request(target, world)
    const [path = '', query] = request.path.split('?')
    const straight = await send({ ...request, bearer: tokens.viewer })
    for (const spell of spellings) {
      const odd = { ...request, path: `${spell(path)}${query === undefined ? '' : `?${query}`}` }
      await summary.hold('odd spellings', async () => {
        const without = await send(odd)
        assert.ok([401, 404].includes(without.status), `${odd.path} without a bearer: ${without.status}`)
        const { status } = await send({ ...odd, bearer: tokens.viewer })
        const known = [400, 404, 405, straight.status]
        assert.ok(known.includes(status), `${odd.path}: ${status}, and straight ${straight.status}`)
      })
      summary.add('odd spellings', 'cells')
    }
  }
}
