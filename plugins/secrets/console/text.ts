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
  checks: {
    title: 'Requirements',
    none: 'Name a Secret, and its requirement stands here.',
    right: (namespace: string, name: string) => `You may get Secret ${namespace}/${name}.`,
    states: { met: 'Met', denied: 'Not met', unknown: 'Not known', asking: 'Asking' },
    fix: {
      denied: 'Ask for the right to get this Secret: who may not read it may not give it to agents.',
      unknown: 'The cluster does not list every rule. A dry run asks it.',
      asking: '',
    },
  },
} as const
