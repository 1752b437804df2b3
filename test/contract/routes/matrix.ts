import assert from 'node:assert/strict'
import { parseLabel } from '#core/kube/names.ts'
import type { RawAnswer } from '#test/flows/platform/send.ts'
import { as } from './credentials.ts'
import type { Credential } from './credentials.ts'
import type { RouteCase, Target } from './route-case.ts'
import { routes } from './routes.ts'
import { tenants } from './world.ts'
import { refusalOfRight } from './review-question.ts'
import type { World } from './world.ts'

/** One route with one target. */
export interface Cell {
  readonly route: string
  readonly target: Target
}

/** Cells of the routes for which `picks` returns true. */
export function cells(picks: (route: string) => boolean = () => true): readonly Cell[] {
  return Object.entries(routes)
    .filter(([route]) => picks(route))
    .flatMap(([route, { over }]) => targetsOf(over).map((target) => ({ route, target })))
}

function targetsOf(over: RouteCase['over']): readonly Target[] {
  if (over === 'one') return [{ namespace: 'demo', exists: true }]
  if (over === 'namespaces')
    return [
      ...['', ...tenants, 'nowhere'].map((namespace) => ({ namespace, exists: true })),
      { namespace: '', exists: true, permitted: true },
    ]
  return tenants.flatMap((namespace) => [true, false].map((exists) => ({ namespace, exists })))
}

/** Returns the case of a cell's route. */
export function caseOf({ route }: Pick<Cell, 'route'>): RouteCase {
  const found = routes[route]
  if (found === undefined) throw new Error(`${route} has no case`)
  return found
}

interface ReviewAnswer {
  readonly status: { readonly allowed: boolean }
}

interface ClusterRefusal {
  readonly reason?: string
  readonly message?: string
  readonly details?: { readonly name?: string; readonly group?: string; readonly kind?: string }
}

/** Expected response of a cell. */
export interface Expected {
  readonly status: number
  readonly code?: string
  readonly cluster?: ClusterRefusal
  readonly detail?: string
  /** Whether the cluster refused, however the route reports it. */
  readonly denied: boolean
}

/** Computes the expected response by asking the API server with the same credential. No request changes anything. */
export async function expectedOf(world: World, credential: Credential, { route, target }: Cell): Promise<Expected> {
  const one = caseOf({ route })
  if (one.public === true) return { ...one.allowed(target), denied: false }
  if (credential.user === undefined) return { status: 401, code: 'unauthenticated', denied: true }
  if (target.permitted === true && (one.refusesNone !== true || (await mayReadSome(world, credential, one))))
    return { ...one.allowed(target), denied: false }
  for (const [index, ask] of one.questions(target, world).entries()) {
    const { virtual = false, right, ...request } = ask
    const answer = await world.platform.kube({ ...request, bearer: credential.bearer })
    if (right !== undefined) {
      if (answer.json<ReviewAnswer>().status.allowed) continue
      return { status: 403, cluster: refusalOf(refusalOfRight(right, credential.user)), denied: true }
    }
    if (answer.status < 300 || (virtual && [404, 405].includes(answer.status))) continue
    assert.ok(
      [403, 404, 409].includes(answer.status),
      `the oracle: ${route} ${ask.path}: ${answer.status} ${answer.text}`,
    )
    const denied = answer.status === 403
    if (one.hides === true && index === 0) return { status: 404, code: 'not_found', denied }
    const { reason, message: whole, details } = answer.json<ClusterRefusal>()
    const message = withoutRoles(whole)
    const { status } = answer
    if (one.refusedByGateway === true) return { status, denied, ...(message === undefined ? {} : { detail: message }) }
    const cluster = refusalOf({ ...defined({ reason, message }), ...(details ? { details } : {}) })
    return { status, cluster, denied }
  }
  return { ...one.allowed(target), denied: false }
}

/** Namespaces of the installation in which a persona may have a right, by name. */
export const places = ['default', ...tenants].map((name) => parseLabel('namespace', name))

async function mayReadSome(world: World, { bearer }: Credential, one: RouteCase): Promise<boolean> {
  for (const namespace of places) {
    const asked = one.questions({ namespace, exists: true }, world)
    const answers = await Promise.all(asked.map((ask) => world.platform.kube({ ...ask, bearer })))
    if (answers.every(({ status }) => status !== 403)) return true
  }
  return false
}

/** Sends a cell to the API, compares the response with the expected one, and returns it. */
export async function holdCell(
  world: World,
  credential: Credential,
  { cell, expected }: { cell: Cell; expected: Expected },
): Promise<RawAnswer> {
  const answer = await world.platform.send(as(credential, caseOf(cell).request(cell.target, world)))
  const place = `${credential.name}: ${cell.route} ${JSON.stringify(cell.target)}: ${answer.text.slice(0, 600)}`
  const { denied: _, ...wanted } = expected
  assert.deepEqual(readAnswer(answer, wanted), wanted, place)
  if (expected.status === 401) assert.deepEqual([answer.text, answer.headers['www-authenticate']], constant401, place)
  return answer
}

// The same bytes for every invalid bearer (D3).
const constant401 = [
  '{"type":"urn:mesh:error:unauthenticated","title":"A valid bearer token is required.","status":401,"detail":"A valid bearer token is required.","code":"unauthenticated","retryable":false}\n',
  'Bearer',
]

/** Sends a cell to the API server and to the API with one credential, and compares the two. */
export async function sendCell(world: World, credential: Credential, cell: Cell): Promise<Expected> {
  const expected = await expectedOf(world, credential, cell)
  await holdCell(world, credential, { cell, expected })
  return expected
}

interface SentProblem {
  readonly code: string
  readonly traceId?: string
  readonly detail?: string
  readonly cluster?: ClusterRefusal
}

/** The problem document of a refusal: the body, or a detail of an error of JSON-RPC. */
export function problemOf({ headers, json }: RawAnswer): SentProblem | undefined {
  const type = headers['content-type'] ?? ''
  if (type.includes('problem+json')) return json<SentProblem>()
  if (!type.includes('application/json')) return undefined
  const { error } = json<{ error?: { data?: readonly (SentProblem & { '@type': string })[] } | null }>() ?? {}
  if (!Array.isArray(error?.data)) return undefined
  return error.data.find((detail) => detail['@type'].startsWith('urn:mesh:error:'))
}

// Compares the status, and the fields that the expectation names.
function readAnswer(answer: RawAnswer, expected: Omit<Expected, 'denied'>): Omit<Expected, 'denied'> {
  const problem = problemOf(answer)
  return {
    status: answer.status,
    ...(expected.code === undefined ? {} : defined({ code: problem?.code })),
    ...(expected.detail === undefined ? {} : defined({ detail: withoutRoles(problem?.detail) })),
    ...(expected.cluster === undefined || problem?.cluster === undefined
      ? {}
      : { cluster: refusalOf(problem.cluster) }),
  }
}

function refusalOf({ reason, message, details = {} }: ClusterRefusal): ClusterRefusal {
  const { name, group, kind } = details
  return { ...defined({ reason, message: withoutRoles(message) }), details: defined({ name, group, kind }) }
}

// The authorizer appends missing roles to its message; the refusal of a review omits them.
function withoutRoles(message: string | undefined): string | undefined {
  return message?.split(': RBAC: ', 1)[0]
}

function defined<T extends object>(given: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
}
