import { defineConsolePages } from '#ui/contract/page.ts'

const load = async () => (await import('./settings-page.tsx')).SettingsPage

/** Who the caller is, what runs here, and how this browser shows it. */
export const settingsPages = defineConsolePages({
  id: 'settings',
  routes: [
    { path: '/settings', load },
    { path: '/settings/$tab', load },
  ],
})
