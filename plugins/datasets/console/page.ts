import { defineConsolePages } from '#ui/contract/page.ts'

/** The pages of datasets. */
export const datasetPages = defineConsolePages({
  id: 'datasets',
  routes: [
    { path: '/datasets', load: async () => (await import('./list/datasets-page.tsx')).DatasetsPage },
    { path: '/datasets/$ns/$name', load: async () => (await import('./detail/dataset-page.tsx')).DatasetPage },
  ],
})
