import { contribute } from '#core/jobs/extension-point.ts'
import type { AccessRule } from '#core/cluster/roles/access-rule.ts'
import { definePlugin, optional } from '#core/plugin/plugin.ts'
import { eraser } from '#plugins/erasures/contract/points.ts'
import { feedback } from '#plugins/feedback/index.ts'
import { pruner } from '#plugins/pruning/contract/points.ts'
import { runExecutor } from '#plugins/runs/contract/points.ts'
import { runs } from '#plugins/runs/index.ts'
import { datasetsConsumers } from './consumers.ts'
import { datasetErrors } from './contract/errors.ts'
import { datasetEvents } from './contract/events.ts'
import type { DatasetsServices } from './contract/services.ts'
import { datasetsSettings } from './contract/settings.ts'
import { createDatasetsApi, createDatasetsSystem } from './datasets-system.ts'
import { createExportExecutor } from './export/executor.ts'
import { datasetsJobs } from './jobs.ts'
import { datasetsRoutes } from './routes/index.ts'
import { datasetPruner, labelEraser } from './store/prune-datasets.ts'

const reason = 'Virtual resource: exists only in access reviews.'
const access: readonly AccessRule[] = [
  { resource: 'datasets', kind: 'Dataset', reason, viewer: ['get', 'list'], developer: ['create', 'update', 'delete'] },
  { resource: 'datasetlabels', reason, viewer: ['list'], developer: ['create'] },
]

function createServices(
  core: DatasetsServices['core'],
  settings: DatasetsServices['settings'],
  needs: Pick<DatasetsServices, 'runs' | 'feedback'>,
): DatasetsServices {
  return { core, store: core.store, settings, now: core.now, ...needs }
}

/** Datasets: cases for evaluations with labels and pins, from files, people and runs. */
export const datasets = definePlugin({
  contract: 1,
  name: 'datasets',
  summary: 'Datasets: cases for evaluations with labels and pins, from files, people and runs.',
  needs: { runs, feedback: optional(feedback) },
  settings: datasetsSettings,
  requires: ['store'],
  migrations: new URL('./migrations/', import.meta.url),
  events: datasetEvents,
  access,
  errors: datasetErrors,
  create: createServices,
  api: (services: DatasetsServices) => createDatasetsApi(services),
  system: (services: DatasetsServices) => createDatasetsSystem(services),
  contributions: (services: DatasetsServices) => [
    contribute(runExecutor, createExportExecutor(services)),
    contribute(pruner, datasetPruner),
    contribute(eraser, labelEraser),
  ],
  routes: datasetsRoutes,
  consumers: datasetsConsumers,
  jobs: datasetsJobs,
  console: [
    { id: 'datasets', title: 'Datasets', section: 'Quality', path: '/datasets', capability: 'datasets' },
    {
      id: 'datasets.run',
      title: 'Save as case',
      section: 'Quality',
      path: '/datasets/run',
      capability: 'datasets',
      tabOf: 'run',
    },
  ],
})
