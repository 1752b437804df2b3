import { setTimeout as sleep } from 'node:timers/promises'
import { createConfigured } from '../tools/agents.ts'
import type { Bench } from '../tools/bench.ts'
import { interleave } from '../tools/rounds.ts'
import type { Candidate } from '../tools/rounds.ts'
import { withScope } from '../tools/scope.ts'
import type { MeasuredPlatform } from './forms.ts'
import { formNames, openForms } from './open-forms.ts'
import { countsSince, statementsIn } from '#test/harness/statement-count.ts'

const seconds = 20
const roles = ['bff', 'gateway', 'state', 'worker', 'manager'] as const

/** CPU of processes without requests, with one idle agent. */
export const bench: Bench = {
  title: `CPU of idle processes over ${seconds} s (% of a core), and their statements a second`,
  measure: () =>
    withScope(async (t) => {
      const candidates: Candidate[] = []
      for (const { form, platform } of await openForms(t)) {
        await createConfigured(platform, { name: 'hello', model: { route: 'mock' } })
        candidates.push({ name: form, run: () => idle(platform) })
      }
      await sleep(10_000) // the start's own work
      return interleave(candidates, { rounds: 3, most: 4 })
    }),
  goals: (figureOf) => [
    ...formNames
      .filter((form) => form !== 'process per role')
      .map((form) => ({
        number: 21,
        text: `embedded process on ${form}, % of a core`,
        value: figureOf(form, 'platform %'),
        limit: 1,
      })),
    ...(formNames.includes('process per role')
      ? roles.map((role) => ({
          number: 21,
          text: `role ${role}, % of a core`,
          value: figureOf('process per role', `${role} %`),
          limit: 0.5,
        }))
      : []),
  ],
}

async function idle(platform: MeasuredPlatform): Promise<Record<string, number>> {
  const before = { cpu: platform.cpu(), statements: await platform.statements() }
  await sleep(seconds * 1000)
  const cpu = Object.entries(platform.cpu()).map(([kind, micros]) => {
    const share = (micros - (before.cpu[kind] ?? 0)) / seconds / 1e6
    return [`${kind} %`, share * 100] as const
  })
  const statements = statementsIn(countsSince(before.statements, await platform.statements()))
  return { ...Object.fromEntries(cpu), 'statements/s': statements / seconds }
}
