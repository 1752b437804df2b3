import { defineKindPages } from '#ui/kinds/kind-pages.ts'
import { secretsText as text } from './text.ts'

/** Pages of secret bindings. */
export const secretBindingPages = defineKindPages(
  'secretbindings',
  {
    path: '/secretbindings',
    api: ['secretbindings'],
    title: text.title,
    noun: text.noun,
    icon: 'key',
    about: text.about,
    columns: [
      { title: text.columns.secret, field: 'spec.secretRef.name' },
      { title: text.columns.description, field: 'spec.description' },
      { title: text.columns.variables, field: 'spec.env' },
    ],
  },
  async () => (await import('./secret-checks.tsx')).secretBindingParts,
)
