import { defineConsolePages } from '#ui/contract/page.ts'

/** Saves a run as a case: a dialog of its page. */
export const saveCasePages = defineConsolePages({
  id: 'datasets.run',
  routes: [],
  loadDialog: async () => (await import('./save-case-dialog.tsx')).SaveCaseDialog,
})
