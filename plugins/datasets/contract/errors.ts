import { defineErrors } from '#core/errors/define-errors.ts'

/** Errors of datasets. */
export const datasetErrors = defineErrors({
  case_archived: { status: 409, title: 'The case is archived.' },
  case_exists: { status: 409, title: 'The dataset has another case with that id.' },
  label_superseded: { status: 409, title: 'A newer label has replaced the label.' },
  export_not_finished: { status: 409, title: 'The export has not succeeded.' },
  invalid_import: { status: 422, title: 'Rows of the import cannot be stored.' },
  invalid_case: { status: 422, title: 'The case cannot be stored in the dataset.' },
  run_content_hidden: { status: 422, title: 'The trace policy of the agent hides the content of the run.' },
  dataset_quota_exceeded: { status: 429, title: 'The dataset or its namespace has reached a maximum.' },
})
