import type { Static } from 'typebox'
import type { Dataset, DatasetCase, DatasetLabel, DatasetPin } from '#schemas/api/datasets.ts'
import type { SelectedCase, SelectedDataset } from '../contract/tables.ts'
import type { ShownLabel } from '../store/labels.ts'
import type { ListedPin } from '../store/pins.ts'

/** A dataset of the API. */
export type DatasetView = Static<typeof Dataset>

/** Converts a dataset and its latest pin. */
export function toDatasetView(row: SelectedDataset, latest: ListedPin | undefined): DatasetView {
  const schema = (text: string | null) => (text === null ? null : (JSON.parse(text) as Record<string, unknown>))
  return {
    namespace: row.namespace,
    name: row.name,
    description: row.description,
    allowedNamespaces: row.allowed_namespaces === null ? null : [...row.allowed_namespaces],
    inputSchema: schema(row.input_schema),
    expectedSchema: schema(row.expected_schema),
    cases: row.cases,
    labels: row.labels,
    latestPin: latest === undefined ? null : toPinView(latest),
    createdBy: row.created_by,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}

/** Converts a pin. */
export function toPinView(pin: ListedPin): Static<typeof DatasetPin> {
  const { version, digest, cases, note, created_by: createdBy } = pin
  return { version, digest, cases, note, createdBy, createdAt: pin.created_at.toISOString() }
}

/** Converts a label. */
export function toLabelView(label: ShownLabel): Static<typeof DatasetLabel> {
  return {
    id: label.id,
    caseId: label.case_id,
    name: label.name,
    dataType: label.data_type as Static<typeof DatasetLabel>['dataType'],
    value: JSON.parse(label.value),
    comment: label.comment,
    source: label.source as Static<typeof DatasetLabel>['source'],
    annotator: label.annotator,
    supersedes: label.supersedes,
    current: label.current,
    createdAt: label.created_at.toISOString(),
  }
}

/** Converts a case and its labels that count. */
export function toCaseView(row: SelectedCase, labels: readonly ShownLabel[] = []): Static<typeof DatasetCase> {
  const { run_id: runId, trace_id: traceId } = row
  return {
    id: row.id,
    input: JSON.parse(row.input),
    ...(row.expected === null ? {} : { expected: JSON.parse(row.expected) as unknown }),
    metadata: JSON.parse(row.metadata) as Record<string, unknown>,
    source: { ...(runId === null ? {} : { runId }), ...(traceId === null ? {} : { traceId }) },
    tags: [...row.tags],
    archived: row.archived,
    digest: row.digest,
    labels: labels.map(toLabelView),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}
