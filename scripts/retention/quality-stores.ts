import type { KeptData } from './kept-data.ts'

/** Data of prompts, datasets and evaluations. */
export const qualityData: readonly KeptData[] = [
  {
    what: 'Evaluations with their cases and scores, and overrides of gates',
    tables: ['evals_evaluations', 'evals_cases', 'evals_scores', 'evals_overrides'],
    kept: 'as long as suite and agent; the content of a case until it has a score',
    keptBy: [],
    quotas: [],
    bounded: 'the newest 500 evaluations of each suite, and an override of each revision',
    metrics: [],
    errors: [],
  },
  {
    what: 'Online scores of runs, and the agents whose runs are scored',
    tables: ['evals_online_targets', 'evals_online_runs', 'evals_online_scores'],
    kept: 'after the run; agents as long as their gate names the suite',
    keptBy: ['evals.onlineRetentionDays'],
    quotas: ['evals.onlineRunsPerDay'],
    metrics: [],
    errors: [],
  },
  {
    what: 'Prompts, their versions and moves of labels',
    tables: [
      'prompts_promptversions',
      'prompts_promptversions_usage',
      'prompts_promptversions_revisions',
      'prompts_promptversions_moves',
    ],
    kept: 'until they or their namespace are deleted',
    keptBy: [],
    quotas: ['prompts.promptsPerNamespace'],
    bounded: '10,000 versions and 100 labels of each prompt',
    metrics: [],
    errors: ['prompt_version_quota_exceeded'],
  },
  {
    what: 'Datasets with their cases, labels and pins',
    tables: ['datasets_datasets', 'datasets_cases', 'datasets_pins', 'datasets_labels', 'datasets_usage'],
    kept: 'until the dataset or its namespace is deleted; labels and cases from runs also until the data of the person is erased; snapshots without a version after the last evaluation that took them',
    keptBy: ['datasets.snapshotRetentionDays'],
    quotas: [
      'datasets.datasetsPerNamespace',
      'datasets.casesPerDataset',
      'datasets.caseBytes',
      'datasets.bytesPerNamespace',
      'datasets.labelsPerCase',
      'datasets.pinsPerDataset',
    ],
    metrics: [],
    errors: ['dataset_quota_exceeded'],
  },
  {
    what: 'Exports of runs with the cases of their files',
    tables: ['datasets_exports', 'datasets_staged'],
    kept: 'after the export; cases of a dataset until they are in it',
    keptBy: ['datasets.exportRetentionDays'],
    quotas: ['runs.queuedPerCaller'],
    metrics: [],
    errors: [],
  },
]
