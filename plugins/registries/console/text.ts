/** The words of the pages of agent registries, in English. */
export const registriesText = {
  title: 'Registries',
  noun: 'agent registry',
  about: 'A registry says which agents may call each other.',
  columns: {
    description: 'Description',
    roles: 'Roles',
    depth: 'Depth',
  },
} as const
