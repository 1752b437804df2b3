import type { DefinitionCase, DefinitionStep } from './definition-steps.ts'
import { send } from './http.ts'
import type { Answer, Target } from './http.ts'
import { differences, normalise } from './normalise.ts'
import type { Difference } from './normalise.ts'

/** A difference that is intended, by the path in the answer. */
interface Allowed {
  readonly why: string
  is(difference: Difference, step: DefinitionStep): boolean
}

const has = (step: DefinitionStep, text: string): boolean => JSON.stringify(step.body ?? '').includes(text)

const allowed: readonly Allowed[] = [
  {
    why: 'columns have short descriptions',
    is: ({ path }) => /^\.body\.columnDefinitions\[\d+\]\.description$/.test(path),
  },
  {
    why: 'no admission plugin taints nodes, since nothing would remove the taint',
    is: ({ path }, step) => path === '.body.spec.taints' && step.path.includes('/nodes'),
  },
  {
    why: 'no admission plugin protects claims: without its controller they could not be deleted',
    is: ({ path }, step) =>
      step.path.includes('/persistentvolumeclaims') && /metadata\.(finalizers|deletion\w+)$/.test(path),
  },
  {
    why: 'kube-apiserver reports the name of the first version a second time, at a field that version 1 does not have',
    is: ({ path }, step) => path === '.body.details.causes.length' && has(step, '"name":"V1"'),
  },
  {
    why: 'preserving unknown fields is one mistake, also with defaults',
    is: ({ path }, step) => path === '.body.details.causes.length' && has(step, '"preserveUnknownFields":true'),
  },
  {
    why: 'the cost of a rule is estimated by its loops, and not summed over the definition',
    is: ({ path }, step) => path === '.body.details.causes.length' && has(step, '"rule":"self'),
  },
]

/** Time that a controller of kube-apiserver may take: the deletion of a definition checks for objects every 5 s. */
const PATIENCE_MS = 60_000

/** Plays a case against both servers; returns the statuses of kube-apiserver and the differences. */
export async function compareDefinitions(
  { real, ours }: { real: Target; ours: Target },
  { steps }: DefinitionCase,
  group: string,
): Promise<{ statuses: number[]; found: string[] }> {
  const statuses: number[] = []
  const found: string[] = []
  for (const [at, step] of steps.entries()) {
    const [expected, actual] = await Promise.all([real, ours].map((target) => play(target, step, group)))
    statuses.push(expected?.status ?? 0)
    const all = differences(normalise(expected), normalise(actual))
    for (const each of all.filter((one) => !allowed.some(({ is }) => is(one, step)))) {
      const shown = [each.real, each.ours].map((value) => (JSON.stringify(value) ?? 'undefined').slice(0, 500))
      found.push(`step ${at} ${step.verb} ${step.path} ${each.path}: real ${shown[0]}, ours ${shown[1]}`)
    }
  }
  return { statuses, found }
}

async function play(target: Target, step: DefinitionStep, group: string): Promise<Answer> {
  const filled = (text: string) => text.replaceAll('GROUP', group).replaceAll('NAME', group.replace(/\..*/, ''))
  const { verb, type, accept, user = 'admin', until } = step
  const body: unknown = step.body === undefined ? undefined : JSON.parse(filled(JSON.stringify(step.body)))
  const wanted = until?.split('|')
  const end = performance.now() + PATIENCE_MS
  for (;;) {
    const answer = await send(target, { verb, path: filled(step.path), user, type, accept, body })
    const text = `${answer.status} ${JSON.stringify(answer.body)}`
    if (wanted === undefined || wanted.some((each) => text.includes(each)) || performance.now() > end) return answer
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
