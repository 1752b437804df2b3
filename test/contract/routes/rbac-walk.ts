import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import type { Credential } from './credentials.ts'
import { cells, expectedOf, holdCell } from './matrix.ts'
import type { Cell, Expected } from './matrix.ts'
import { createRbac } from './rbac-changes.ts'
import { createRandom, pick } from './sample.ts'
import type { Summary } from './summary.ts'
import type { World } from './world.ts'

// Reads and writes in namespaces whose permissions change. Excludes runs, which accumulate and wait for unknown agents.
const asked = cells(
  (route) => !['POST /api/runs', 'POST /api/runs/{id}/retry', 'POST /api/invoke', 'GET /api/events'].includes(route),
)

interface Question {
  readonly credential: Credential
  readonly cell: Cell
}

/**
 * Changes RBAC at random. After each change it compares two cells with the API server: a random one, and one that was allowed before, where
 * a cached allow would show (M8).
 */
export async function rbacWalk(
  world: World,
  summary: Summary,
  { steps, seed }: { steps: number; seed: number },
): Promise<void> {
  const random = createRandom(seed)
  const rbac = createRbac(world.platform, random)
  const subjects = world.credentials.filter(({ name }) => ['viewer', 'developer', 'other-tenant', 'bff'].includes(name))
  const allowed: Question[] = []
  const last = new Map<string, boolean>()
  let flips = 0
  let near: readonly Cell[] = []
  for (let step = 0; step < steps; step++) {
    // A small set at a time, so that the same cell is repeated after its result has changed.
    if (step % 50 === 0) near = Array.from({ length: 6 }, () => pick(random, asked))
    const change = await rbac.change()
    const remembered = allowed.splice(Math.floor(random() * allowed.length), 1)
    const questions = [{ credential: pick(random, subjects), cell: pick(random, near) }, ...remembered]
    for (const question of questions) {
      await summary.hold('RBAC changes', async () => {
        const { denied } = await holdDuringChange(world, question, `step ${step} of seed ${seed}, ${change}`)
        const key = JSON.stringify([question.credential.name, question.cell])
        if (last.has(key) && last.get(key) !== denied) {
          flips++
          summary.add('RBAC changes', 'flipped')
        }
        last.set(key, denied)
        if (!denied) allowed.push(question)
        summary.add('RBAC changes', denied ? 'denied' : 'allowed')
      })
      summary.add('RBAC changes', 'cells')
    }
    if (allowed.length > 20) allowed.splice(0, 10)
    summary.add('RBAC changes', 'changes')
  }
  await rbac.clear()
  assert.ok(flips > steps / 25, `${flips} answers changed in ${steps} steps: the walk shows nothing`)
}

/**
 * The API server observes a change through its own watch, within milliseconds. Its answer is read before and after, and the API's must
 * equal one of them. A mismatch with two equal answers would be a cached decision.
 */
async function holdDuringChange(world: World, { credential, cell }: Question, place: string): Promise<Expected> {
  const before = await expectedOf(world, credential, cell)
  const held = await holdCell(world, credential, { cell, expected: before }).then(
    () => undefined,
    (error: unknown) => error,
  )
  if (held === undefined) return before
  const after = await expectedOf(world, credential, cell)
  if (isDeepStrictEqual(after, before)) throw new Error(`${place}: ${String(held)}`)
  await holdCell(world, credential, { cell, expected: after })
  return after
}
