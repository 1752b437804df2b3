import { plural } from '#ui/text/plural.ts'

/** The words of the document of an agent, in English. */
export const yamlText = {
  noun: 'agent',
  makes: 'A change of the spec makes the next version; the last one stays in the list.',
  pods: (replicas: number) =>
    `${plural(replicas, 'replica', 'replicas')} restart one after the other, if the spec changes.`,
} as const
