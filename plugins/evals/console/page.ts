import { defineKindPages } from '#ui/kinds/kind-pages.ts'
import { evalsText as text } from './shared/text.ts'

/** Pages of suites. */
export const suitePages = defineKindPages(
  'evals',
  { path: '/evals', api: ['evalsuites'], title: text.title, noun: text.noun, icon: 'gauge', about: text.about },
  async () => (await import('./suite/suite-parts.tsx')).suiteParts,
)
