import assert from 'node:assert/strict'
import { createCallers } from '#core/cluster/callers.ts'
import { createServedDirectory } from '#core/cluster/namespace-directory.ts'
import { describeCatalog } from '#core/host/role/describe-api.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { reviewsOf } from '#core/http/endpoint/authz.ts'
import type { Authz } from '#core/http/endpoint/authz.ts'
import { buildServer } from '#core/http/testing/build-server.ts'
import { createPool } from '#core/kube/connection-pool.ts'
import { plugins } from '#plugins/index.ts'
import { Type } from 'typebox'
import type { MountedEndpoint } from '#core/http/endpoint/mounted-endpoint.ts'
import type { Credential } from './credentials.ts'
import { caseOf, cells, expectedOf, places } from './matrix.ts'
import type { Cell } from './matrix.ts'
import type { Summary } from './summary.ts'
import type { World } from './world.ts'

interface Row {
  readonly credential: Credential
  readonly cell: Cell
  readonly denied: boolean
}

/**
 * Removes or replaces the check of every route, and asserts that some cell of the matrix fails.
 * A review is done by core/http, so the changed route is mounted on a server of this process. Where the upstream call is the check, a route
 * without it would answer every cell as allowed; one denied cell is enough.
 */
export async function authzMutants(world: World, summary: Summary): Promise<void> {
  const names = ['none', 'viewer', 'other-tenant', 'bff', 'admin']
  const credentials = world.credentials.filter(({ name }) => names.includes(name))
  for (const mounted of await describeCatalog(plugins, '0.0.0')) {
    // A route without a check has none to lose.
    if (mounted.endpoint.authz.kind === 'public') continue
    const route = routeOf(mounted)
    const rows: Row[] = []
    for (const cell of cells((one) => one === route))
      for (const credential of credentials)
        rows.push({ credential, cell, denied: (await expectedOf(world, credential, cell)).denied })
    await summary.hold('authz mutants', () => holdRoute(world, { ...mounted.endpoint, ...harmless }, rows, summary))
  }
}

const harmless = {
  response: { 200: Type.Object({}, { additionalProperties: true }) },
  stream: false,
  idempotent: false,
  handle: async () => ({}),
} as const

function routeOf({ prefix, endpoint }: MountedEndpoint): string {
  return `${endpoint.method} ${prefix}${endpoint.url}`.replaceAll(/:([A-Za-z]+)/g, '{$1}')
}

async function holdRoute(world: World, endpoint: AnyEndpoint, rows: readonly Row[], summary: Summary): Promise<void> {
  const place = `${endpoint.method} ${endpoint.url}`
  const redBy = async (authz: Authz): Promise<number> => {
    const answers = await answersOf(world, { ...endpoint, authz }, rows)
    summary.add('authz mutants', 'cells', answers.length)
    return rows.filter(({ denied }, index) => denied !== answers[index]).length
  }
  const killed = (count: number, mutant: string): void => {
    assert.ok(count > 0, `${place}: no cell detects ${mutant}`)
    summary.add('authz mutants', 'killed')
  }
  killed(await redBy({ kind: 'token', of: 'anyone', header: 'host', verify: () => true }), 'that it became public')
  const { authz } = endpoint
  if (authz.kind === 'review') {
    assert.equal(await redBy(authz), 0, `${place}: unchanged, its review is what the matrix expects`)
    killed(await redBy({ kind: 'bearer' }), 'that its review is gone')
    // Another verb or resource is detected from the declaration of the route; the source of its namespace is not.
    if (authz.namespace.in !== 'cluster')
      killed(await redBy({ ...authz, namespace: { in: 'cluster' } }), 'a review of the whole cluster')
  } else if (authz.kind === 'all') {
    assert.equal(await redBy(authz), 0, `${place}: unchanged, its reviews are what the matrix expects`)
    for (const gone of reviewsOf(authz)) {
      const of = authz.of.map((one): Authz => (one === gone ? { kind: 'bearer' } : one))
      killed(
        await redBy({ kind: 'all', of: [{ kind: 'bearer' }, { kind: 'bearer' }, ...of] }),
        `that the review of ${gone.resource} is gone`,
      )
    }
  } else if (isHandlersOwn(authz, rows)) {
    killed(
      rows.filter(({ denied, credential }) => denied && credential.user !== undefined).length,
      'that no review is made',
    )
  }
}

// The handler calls the cluster, reviews a stored row, or is refused by the gateway. An unwired route sends no request.
function isHandlersOwn({ kind }: Authz, rows: readonly Row[]): boolean {
  const { refusedByGateway } = caseOf({ route: rows[0]?.cell.route ?? '' })
  return refusedByGateway === true || kind === 'kube' || kind === 'row'
}

/** Whether each row is refused by a server that has only this endpoint. */
async function answersOf(world: World, endpoint: AnyEndpoint, rows: readonly Row[]): Promise<readonly boolean[]> {
  const { url, ca } = world.platform.apiServer
  const closers: (() => unknown)[] = []
  const pool = createPool(url, { ca })
  try {
    const cluster = createCallers({ server: url, pool })
    const { app } = await buildServer({ after: (close) => void closers.push(close) }, [{ endpoints: [endpoint] }], {
      cluster,
      directory: createServedDirectory(places),
    })
    const ask = async ({ credential, cell }: Row): Promise<boolean> => {
      const { path, body } = caseOf(cell).request(cell.target, world)
      const { bearer } = credential
      const answer = await app.inject({
        method: endpoint.method,
        url: path,
        headers: {
          ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
      })
      assert.ok([200, 201, 204, 401, 403].includes(answer.statusCode), `${path}: ${answer.body}`)
      return [401, 403].includes(answer.statusCode)
    }
    return await Promise.all(rows.map(ask))
  } finally {
    for (const close of closers) await close()
    await pool.close()
  }
}
