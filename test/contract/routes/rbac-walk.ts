import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import type { Credential } from './credentials.ts'
import { cells, expectedOf, holdCell } from './matrix.ts'
import type { Cell, Expected } from './matrix.ts'
import { createRbac } from './rbac-changes.ts'
import { createRandom, pick } from './sample.ts'
import type { Summary } from './summary.ts'
import type { World } from './world.ts'

// Questions about namespaces whose rights change; runs would pile up, and a run of an unknown agent waits.
const asked = cells((route) => !['POST /api/runs', 'POST /api/invoke', 'GET /api/events'].includes(route))

interface Question {
  readonly credential: Credential
  readonly cell: Cell
}

/**
 * Changes RBAC at random, and after each change asks some cells of the API and of the API server: one at random, and one that was
 * allowed when it was asked last, which is where an allow that somebody remembered would show (M8).
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
    // A few at a time, so that the same question comes again after its answer has changed.
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
 * The API server learns of a change through its own watch, within milliseconds: its answer is taken before and after, and the API's
 * must be the one or the other. Both the same and the API's another is a mismatch, as a remembered allow would be.
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
