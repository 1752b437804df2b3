import { plural } from '#ui/text/plural.ts'

/** The words of the catalog, in English. */
export const templatesText = {
  title: 'Templates',
  search: 'Filter by title, word or tag',
  source: 'Source',
  sources: { all: 'All', recipe: 'Recipes', template: 'Templates' },
  tag: 'Tag',
  count: (count: number) => plural(count, 'entry', 'entries'),
  use: 'Use',
  useNamed: (title: string) => `Use ${title}`,
  remove: 'Delete',
  removeNamed: (title: string) => `Delete ${title}`,
  platform: 'recipe of the platform',
  from: (agent: string) => `from agent ${agent}`,
  in: (namespace: string) => `in ${namespace}`,
  kinds: { team: 'team', workflow: 'workflow' },
  notYet: 'The console does not create teams and workflows yet.',
  more: 'The catalog has more templates than are shown. Choose a namespace to see its own.',
  failed: 'Templates cannot be read',
  recipesFailed: 'Recipes cannot be read',
  empty: 'The catalog is empty',
  emptyDetail: 'Publish an agent as a template, and it stands here for others to start from.',
  removal: {
    title: (title: string) => `Delete the template ${title}?`,
    effects: ['Agents that were made from it stay as they are.'],
    action: 'Delete the template',
    done: (title: string) => `The template ${title} is deleted.`,
  },
} as const
