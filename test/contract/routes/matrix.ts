import assert from 'node:assert/strict'
import type { Persona } from '#local/personas.ts'
import type { RawAnswer } from '#test/flows/platform/send.ts'
import { routes } from './routes.ts'
import type { RouteCase, Target } from './routes.ts'
import { tenants } from './world.ts'
import type { World } from './world.ts'

/** One question: a route about a target. */
export interface Cell {
  readonly route: string
  readonly target: Target
}

/** Every cell of the routes that `picks` takes. */
export function cells(picks: (route: string) => boolean = () => true): readonly Cell[] {
  return Object.entries(routes)
    .filter(([route]) => picks(route))
    .flatMap(([route, { over }]) => targetsOf(over).map((target) => ({ route, target })))
}

function targetsOf(over: RouteCase['over']): readonly Target[] {
  if (over === 'one') return [{ namespace: 'demo', exists: true }]
  if (over === 'namespaces') return ['', ...tenants, 'nowhere'].map((namespace) => ({ namespace, exists: true }))
  return tenants.flatMap((namespace) => [true, false].map((exists) => ({ namespace, exists })))
}

/** The case of a cell's route. */
export function caseOf({ route }: Cell): RouteCase {
  const found = routes[route]
  if (found === undefined) throw new Error(`${route} has no case`)
  return found
}

interface ClusterRefusal {
  readonly reason?: string
  readonly message?: string
  readonly details?: { readonly name?: string; readonly group?: string; readonly kind?: string }
}

interface Expected {
  readonly status: number
  readonly code?: string
  readonly cluster?: ClusterRefusal
  readonly detail?: string
}

/** Asks the API and the API server as the same persona, and holds one to the other. Answers whether the cluster allowed it. */
export async function holdCell(world: World, persona: Persona, cell: Cell): Promise<{ allowed: boolean }> {
  const expected = await expectedOf(world, persona, cell)
  const bearer = world.platform.tokens[persona]
  const answer = await world.platform.send({ ...caseOf(cell).request(cell.target, world), bearer })
  const found = readAnswer(answer, expected)
  const place = `${persona}: ${cell.route} ${JSON.stringify(cell.target)}: ${answer.text.slice(0, 600)}`
  assert.deepEqual(found, expected, place)
  return { allowed: expected.status < 300 }
}

async function expectedOf(world: World, persona: Persona, { route, target }: Cell): Promise<Expected> {
  const one = caseOf({ route, target })
  for (const [index, ask] of one.asks(target, world).entries()) {
    const { virtual = false, ...request } = ask
    const answer = await world.platform.kube({ ...request, bearer: world.platform.tokens[persona] })
    if (answer.status < 300 || (virtual && [404, 405].includes(answer.status))) continue
    assert.ok(
      [403, 404, 409].includes(answer.status),
      `the oracle: ${route} ${ask.path}: ${answer.status} ${answer.text}`,
    )
    if (one.hides === true && index === 0) return { status: 404, code: 'not_found' }
    const { reason, message, details } = answer.json<ClusterRefusal>()
    if (one.told === true) return { status: answer.status, ...(message === undefined ? {} : { detail: message }) }
    return {
      status: answer.status,
      cluster: refusalOf({ ...defined({ reason, message }), ...(details ? { details } : {}) }),
    }
  }
  return one.allowed(target)
}

// Compared is what the expectation speaks of, and always the status.
function readAnswer(answer: RawAnswer, expected: Expected): Expected {
  const isProblem = answer.headers['content-type']?.includes('problem+json') === true
  const problem = isProblem ? answer.json<{ code: string; detail?: string; cluster?: ClusterRefusal }>() : undefined
  return {
    status: answer.status,
    ...(expected.code === undefined ? {} : defined({ code: problem?.code })),
    ...(expected.detail === undefined ? {} : defined({ detail: problem?.detail })),
    ...(expected.cluster === undefined || problem?.cluster === undefined
      ? {}
      : { cluster: refusalOf(problem.cluster) }),
  }
}

function refusalOf({ reason, message, details = {} }: ClusterRefusal): ClusterRefusal {
  const { name, group, kind } = details
  return { ...defined({ reason, message }), details: defined({ name, group, kind }) }
}

function defined<T extends object>(given: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
}
