import { plural } from '#ui/text/plural.ts'

/** The words of the versions of an agent, in English. */
export const versionsText = {
  list: 'Versions',
  serving: 'serving',
  newest: 'newest',
  rolledBackTo: (revision: number) => `rolled back to r${revision}`,
  made: { create: 'created', update: 'changed', rollback: 'rolled back' },
  by: 'by',
  gate: {
    scoring: 'being scored',
    passed: 'passed',
    held: 'held by gate',
    overridden: 'gate overridden',
    scores: (score: number, required: number) => `: ${score.toFixed(2)} of ${required.toFixed(2)}`,
    by: 'overridden by',
    erased: 'The reason was erased.',
  },
  side: { from: 'Compare', to: 'With', arrow: '→' },
  compare: (from: string, to: string) => `${from} → ${to}`,
  texts: 'Compare the texts of the prompt',
  same: 'These two versions are equal',
  sameDetail: 'Their specs have the same values.',
  one: 'There is one version',
  oneDetail: 'A change of the spec makes the next one. Then both can be compared.',
  preview: (revision: number) => `Preview roll back to r${revision}`,
  rollBack: {
    title: (name: string, revision: number) => `Roll ${name} back to r${revision}?`,
    action: (revision: number) => `Roll back to r${revision}`,
    pods: (replicas: number) => `${plural(replicas, 'replica', 'replicas')} restart with the spec of that version.`,
    list: (revision: number) => `r${revision} stays in the list, and can be returned to.`,
    changes: 'What changes',
    looking: 'Checking what would change',
    done: (revision: number) => `Rolled back to r${revision}.`,
    verb: 'roll this agent back',
  },
} as const
