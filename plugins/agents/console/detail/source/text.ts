/** The words of the source of an agent, in English. */
export const sourceText = {
  label: 'The object as the cluster keeps it',
} as const
