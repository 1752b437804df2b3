import { defineConsolePages } from '#ui/contract/page.ts'

/** The pages of prompts. */
export const promptPages = defineConsolePages({
  id: 'prompts',
  routes: [
    { path: '/prompts', load: async () => (await import('./list/prompts-page.tsx')).PromptsPage },
    { path: '/prompts/$ns/$name', load: async () => (await import('./detail/prompt-page.tsx')).PromptPage },
  ],
})
