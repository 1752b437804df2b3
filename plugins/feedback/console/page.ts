import { defineConsolePages } from '#ui/contract/page.ts'

/** Pages of feedback. */
export const feedbackPages = defineConsolePages({
  id: 'feedback',
  routes: [{ path: '/feedback', load: async () => (await import('./feedback-page.tsx')).FeedbackPage }],
})
