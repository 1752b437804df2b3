import { defineConsolePages } from '#ui/contract/page.ts'

/** The feedback of a run: a tab of its page. */
export const runFeedbackPages = defineConsolePages({
  id: 'feedback.run',
  routes: [],
  loadTab: async () => (await import('./run-feedback.tsx')).RunFeedback,
})
