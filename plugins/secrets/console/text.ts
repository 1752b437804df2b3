/** The words of the pages of secret bindings, in English. */
export const secretsText = {
  title: 'Secrets',
  noun: 'secret binding',
  about: 'A binding gives keys of a Secret to agents, by name. Values are never shown.',
  columns: {
    secret: 'Secret',
    description: 'Description',
    variables: 'Variables',
  },
} as const
