import { setTimeout as sleep } from 'node:timers/promises'
import { createConfigured } from '../tools/agents.ts'
import type { Bench } from '../tools/bench.ts'
import { interleave } from '../tools/rounds.ts'
import type { Candidate } from '../tools/rounds.ts'
import type { MeasuredPlatform } from './forms.ts'
import { formNames, openForms } from './open-forms.ts'
import type { OpenForm } from './open-forms.ts'
import { countsSince, statementsIn } from '#test/harness/statement-count.ts'

const seconds = 20
const roles = ['bff', 'gateway', 'state', 'worker', 'manager'] as const

/** CPU of processes without requests, with one idle agent each, all in the same time. */
export const bench: Bench = {
  title: `CPU of idle processes over ${seconds} s (% of a core), and their statements a second`,
  database: 'fresh',
  measure: async () => {
    const forms = await openForms()
    for (const { platform } of forms) await createConfigured(platform, { name: 'idle', model: { route: 'mock' } })
    await sleep(10_000) // the start's own work
    return interleave(forms.map(toCandidate(watchAll(forms))), { rounds: 3, most: 4 })
  },
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

type Figures = Readonly<Record<string, number>>

// The forms are idle at the same time: the round of the first measures all.
function watchAll(forms: readonly OpenForm[]): (form: string) => Promise<Figures> {
  let measured = new Map<string, Figures>()
  return async (form) => {
    if (!measured.has(form)) {
      const all = await Promise.all(
        forms.map(async ({ form: name, platform }) => [name, await idle(platform)] as const),
      )
      measured = new Map(all)
    }
    const figures = measured.get(form) ?? {}
    measured.delete(form)
    return figures
  }
}

function toCandidate(watch: (form: string) => Promise<Figures>): (open: OpenForm) => Candidate {
  return ({ form }) => ({ name: form, run: () => watch(form) })
}

async function idle(platform: MeasuredPlatform): Promise<Figures> {
  const before = { cpu: platform.cpu(), statements: await platform.statements() }
  await sleep(seconds * 1000)
  const cpu = Object.entries(platform.cpu()).map(([kind, micros]) => {
    const share = (micros - (before.cpu[kind] ?? 0)) / seconds / 1e6
    return [`${kind} %`, share * 100] as const
  })
  const statements = statementsIn(countsSince(before.statements, await platform.statements()))
  return { ...Object.fromEntries(cpu), 'statements/s': statements / seconds }
}
