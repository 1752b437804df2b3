import { ApiProblem } from '#ui/api/api-problem.ts'
import type { ShownStep } from '#ui/parts/status/step-state.ts'
import { serversText } from './text.ts'

const text = serversText.dialog

/** Steps of a handshake in their order. */
const order = ['resolve', 'connect', 'initialize', 'list_tools'] as const

type StepName = (typeof order)[number]

/** A step that succeeded, as the API reports it. */
export interface DoneStep {
  readonly step: StepName
  readonly ms: number
}

/** The step at which a handshake failed; undefined for another refusal. Pure. */
export function failedStep(error: Error | null): StepName | undefined {
  const code = error instanceof ApiProblem ? error.facts.code : undefined
  return order.find((step) => code === `mcp_${step}_failed`)
}

/** The steps while the request is under way. */
export const runningSteps: readonly ShownStep[] = order.map((step) => ({
  name: text.steps[step],
  state: step === 'resolve' ? 'running' : 'waiting',
}))

/** The steps after a failure: those before it are done. Pure. */
export function stepsOfFailure(failed: StepName): readonly ShownStep[] {
  const at = order.indexOf(failed)
  return order.map((step, index) => ({
    name: text.steps[step],
    state: index < at ? 'done' : index === at ? 'failed' : 'skipped',
  }))
}

/** The steps of a connection; a server that waits for a consent has not begun the last ones. Pure. */
export function stepsOfConnection(done: readonly DoneStep[]): readonly ShownStep[] {
  return order.map((step) => {
    const found = done.find((one) => one.step === step)
    const name = text.steps[step]
    if (found === undefined) return { name, state: 'skipped' }
    // A step of 0 ms is part of the one before.
    return { name, state: 'done', note: found.ms === 0 ? undefined : text.ms(found.ms) }
  })
}
