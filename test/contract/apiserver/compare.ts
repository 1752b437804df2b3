import { allowed } from './differences.ts'
import type { Allowed } from './differences.ts'
import type { Difference } from './normalise.ts'
import { differences, normalise } from './normalise.ts'
import type { Target } from './http.ts'
import { createPlayer, nameOf } from './player.ts'
import type { Played, Player } from './player.ts'
import type { Step } from './step.ts'
import type { Sequence } from './steps.ts'

/** Differences between the two servers by kind, and how often each allowed one occurred. */
export interface Findings {
  readonly found: Map<string, { count: number; text: string }>
  readonly met: Map<Allowed, number>
  requests: number
}

/** Sends a sequence to both servers step by step and records the differences. Returns the status codes of kube-apiserver. */
export async function compareSequence(
  { real, ours, namespace, findings }: { real: Target; ours: Target; namespace: string; findings: Findings },
  sequence: Sequence,
): Promise<number[]> {
  const both = await Promise.all([real, ours].map((target) => createPlayer(target, sequence, namespace)))
  const onBoth = <T>(act: (player: Player) => Promise<T>): Promise<T[]> => Promise.all(both.map(act))
  const parted = new Set<string>()
  const statuses: number[] = []
  await onBoth((player) => player.mark())
  for (const [at, step] of sequence.steps.entries()) {
    const [expected = [], actual = []] = await onBoth((player) => player.take(step))
    statuses.push(...expected.map(({ answer }) => answer.status))
    const apart = compareAnswers({ expected, actual, where: `${namespace} step ${at}`, findings })
    if (apart && step.verb !== 'GET') {
      // Later steps must compare equal objects, so this one is deleted on both.
      await onBoth((player) => player.forget(step))
      if (step.kind === sequence.watched) parted.add(nameOf(step) ?? '')
    }
    if (at === sequence.watchAfter) await onBoth((player) => player.mark())
  }
  const [expected, actual] = await onBoth((player) => player.watch())
  if (expected && actual && !parted.has(''))
    compareAnswers({
      expected: [without(expected, parted)],
      actual: [without(actual, parted)],
      where: namespace,
      findings,
    })
  return statuses
}

/** A watch without events of objects that were deleted on both, since their histories differ. */
function without(watch: Played, names: ReadonlySet<string>): Played {
  const { body } = watch.answer
  if (!Array.isArray(body)) return watch
  const kept = body.filter((event) => ![...names].some((name) => JSON.stringify(event).includes(`"name":"${name}"`)))
  return { ...watch, answer: { ...watch.answer, body: kept } }
}

/** Returns true if the states of the servers now differ. */
function compareAnswers({
  expected,
  actual,
  where,
  findings,
}: {
  expected: readonly Played[]
  actual: readonly Played[]
  where: string
  findings: Findings
}): boolean {
  let apart = false
  for (const [page, theirs] of expected.entries()) {
    const { answer, step } = theirs
    const own = actual[page]
    findings.requests += 1
    const all = differences(normalise(answer), normalise(own?.answer))
    if (answer.status !== own?.answer.status || (answer.status < 400 && all.length > 0)) apart = true
    const reported = all.filter((each) => !isAllowed(each, step, findings))
    // For different statuses, one difference is enough.
    for (const each of answer.status === own?.answer.status ? reported : reported.filter(isHead).slice(0, 1))
      note(findings, each, { theirs, own, where })
  }
  return apart
}

const isHead = ({ path }: Difference) => path === '.body.message' || path === '.status'

function isAllowed(difference: Difference, step: Step | undefined, { met }: Findings): boolean {
  const found = allowed.find((one) => one.is(difference, step))
  if (found) met.set(found, (met.get(found) ?? 0) + 1)
  return found !== undefined
}

function note(
  { found }: Findings,
  { path, real, ours }: Difference,
  { theirs, own, where }: { theirs: Played; own: Played | undefined; where: string },
): void {
  const { request, step, answer } = theirs
  const general = path.replaceAll(/\[\d+\]/g, '[]')
  const key = `${step?.does} ${step?.kind} ${general} ${answer.status} ${own?.answer.status}`
  const known = found.get(key)
  const lines = [
    `${where}: ${request} ${step?.type ?? ''}`,
    `  body ${show(step?.body)}`,
    `  ${path}: real ${show(real)}, ours ${show(ours)}`,
  ]
  if (answer.status !== own?.answer.status || answer.status >= 400) {
    const [first, second] = [answer.body, own?.answer.body].map((body) => show(isStatus(body) ? body.message : body))
    lines.push(`  real ${answer.status} ${first}`, `  ours ${own?.answer.status} ${second}`)
  }
  found.set(key, { count: (known?.count ?? 0) + 1, text: known?.text ?? lines.join('\n') })
}

function isStatus(body: unknown): body is { message: string } {
  return typeof body === 'object' && body !== null && 'message' in body
}

function show(value: unknown): string {
  return (JSON.stringify(value) ?? 'undefined').slice(0, 600)
}
