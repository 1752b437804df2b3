import { Type } from 'typebox'
import { defineEvent } from '#core/event-store/event.ts'

const caseId = Type.String({ description: 'Id of the case.' })
const version = Type.Integer({ description: 'Version of the pin.' })
const resourceKind = 'Dataset'

/** A dataset was created. */
export const datasetCreated = defineEvent({
  plugin: 'datasets',
  fact: 'dataset-created',
  summary: 'A dataset was created.',
  data: Type.Object({}),
  audit: { action: 'create', resourceKind },
})

/** Description, readers or schemas of a dataset were changed. */
export const datasetUpdated = defineEvent({
  plugin: 'datasets',
  fact: 'dataset-updated',
  summary: 'A dataset was changed.',
  data: Type.Object({ fields: Type.Array(Type.String(), { description: 'Names of the changed fields.' }) }),
  audit: { action: 'update', resourceKind },
})

/** A dataset was deleted with its cases, labels and pins. */
export const datasetDeleted = defineEvent({
  plugin: 'datasets',
  fact: 'dataset-deleted',
  summary: 'A dataset was deleted with its cases, labels and pins.',
  data: Type.Object({ cases: Type.Integer({ description: 'Number of its cases.' }) }),
  audit: { action: 'delete', resourceKind },
})

/** Cases were stored: one by a caller, or many by an import or an export. */
export const casesStored = defineEvent({
  plugin: 'datasets',
  fact: 'cases-stored',
  summary: 'Cases of a dataset were added or changed.',
  data: Type.Object({
    by: Type.String({ description: 'put, import, run or export.' }),
    created: Type.Integer({ description: 'Number of new cases.' }),
    updated: Type.Integer({ description: 'Number of changed cases.' }),
    caseId: Type.Optional(caseId),
    runId: Type.Optional(Type.String({ description: 'Run from which the case was made, or that exported the cases.' })),
  }),
  audit: { action: 'store-cases', resourceKind, detail: ['runId'] },
})

/** A case was archived: it is in no further pin. */
export const caseArchived = defineEvent({
  plugin: 'datasets',
  fact: 'case-archived',
  summary: 'A case of a dataset was archived.',
  data: Type.Object({ caseId }),
  audit: { action: 'archive-case', resourceKind },
})

/** A case was labelled. References only: value and comment are content. */
export const labelAdded = defineEvent({
  plugin: 'datasets',
  fact: 'label-added',
  summary: 'A case of a dataset was labelled.',
  data: Type.Object({
    labelId: Type.String({ format: 'uuid', description: 'Value and comment are read by the routes of the case.' }),
    caseId,
    name: Type.String({ description: 'Name of the label.' }),
    source: Type.String({ description: 'human, judge, code or api.' }),
  }),
  audit: { action: 'label', resourceKind, detail: ['source'] },
})

/** The cases of a dataset were pinned. */
export const datasetPinned = defineEvent({
  plugin: 'datasets',
  fact: 'dataset-pinned',
  summary: 'The cases of a dataset were pinned.',
  data: Type.Object({
    version,
    digest: Type.String({ description: 'Digest of the cases.' }),
    cases: Type.Integer({ description: 'Number of the cases.' }),
  }),
  audit: { action: 'pin', resourceKind },
})

/** Event types of the plugin. */
export const datasetEvents = [
  datasetCreated,
  datasetUpdated,
  datasetDeleted,
  casesStored,
  caseArchived,
  labelAdded,
  datasetPinned,
]
