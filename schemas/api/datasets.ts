import { Type } from 'typebox'
import { described, exemplified } from '../values/described.ts'
import { shownAs } from '../values/shown-as.ts'
import { anyValue, listOf, limit, cursor, namespaceQuery, openObject, pageQuery, scope, time } from './common.ts'

const strict = { additionalProperties: false }

/** Name of a dataset: a DNS label. */
export const DATASET_NAME_PATTERN = '^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$'
/** Id of a case. */
export const CASE_ID_PATTERN = '^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,126}[A-Za-z0-9])?$'
/** What a label is. */
export const labelTypes = ['numeric', 'boolean', 'categorical', 'text', 'correction'] as const
/** Who or what gave a label. */
export const labelSources = ['human', 'judge', 'code', 'api'] as const

const text = (description: string, maxLength: number) => Type.String({ maxLength, description })
const ofNamespace = Type.Optional(
  Type.String({ maxLength: 253, default: 'default', description: 'Namespace of the dataset.', examples: ['default'] }),
)
const name = Type.String({ description: 'Name of the dataset, unique in its namespace.', examples: ['greetings'] })
const caseIdText = Type.String({
  pattern: CASE_ID_PATTERN,
  maxLength: 128,
  description: 'Id of the case: letters, digits, `.`, `_` and `-`.',
  examples: ['refund-1'],
})
const schemaInput = (of: string) =>
  Type.Union([openObject(`JSON Schema of ${of}.`), Type.Null({ description: 'Any value is accepted.' })], {
    description: `JSON Schema that ${of} of new and changed cases must match; null: any value.`,
  })
const allowedNamespaces = Type.Union(
  [
    Type.Array(Type.String({ pattern: DATASET_NAME_PATTERN, description: 'Name of a namespace.' }), { maxItems: 100 }),
    Type.Null({ description: 'Only the namespace of the dataset.' }),
  ],
  {
    description: 'Namespaces whose evaluation suites may use the dataset, besides its own.',
    examples: [['staging']],
  },
)

/** Query of the routes of one dataset. */
export const DatasetQuery = Type.Object({ namespace: ofNamespace }, strict)

/** Query of lists below a dataset. */
export const DatasetPageQuery = Type.Object({ namespace: ofNamespace, ...pageQuery }, strict)

/** Query of the list of datasets. */
export const DatasetListQuery = Type.Object(
  {
    namespace: Type.Optional(namespaceQuery),
    scope: Type.Optional(scope),
    q: Type.Optional(Type.String({ maxLength: 63, description: 'Prefix of the name.' })),
    ...pageQuery,
  },
  strict,
)

/** Body of `PUT /api/datasets/{name}`. Absent fields of an existing dataset are reset. */
export const DatasetInput = Type.Object(
  {
    description: Type.Optional(text('What the cases test.', 2_000)),
    allowedNamespaces: Type.Optional(allowedNamespaces),
    inputSchema: Type.Optional(schemaInput('inputs')),
    expectedSchema: Type.Optional(schemaInput('expected outputs')),
  },
  { ...strict, title: 'DatasetInput' },
)

/** A pin: cases of a dataset at one moment, which never change. */
export const DatasetPin = Type.Object(
  {
    version: Type.Integer({ description: 'Number of the pin, from 1.', examples: [1] }),
    digest: Type.String({
      description: 'SHA-256 of the sorted digests of the cases, as canonical JSON (RFC 8785).',
      examples: ['sha256:4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945'],
    }),
    cases: Type.Integer({ description: 'Number of its cases.', examples: [3] }),
    createdAt: described(time, 'Time of the pin.'),
    createdBy: Type.String({ description: 'User who pinned the cases.', examples: ['ada@example.com'] }),
    note: Type.String({ description: 'Note of that user; empty without one.', examples: ['Before the new prompt.'] }),
  },
  { title: 'DatasetPin' },
)

/** A page of pins, newest first. */
export const DatasetPinList = listOf(DatasetPin)

/** Body of `POST /api/datasets/{name}/pin`. */
export const PinInput = Type.Object(
  { note: Type.Optional(text('What the pin is for.', 500)) },
  { ...strict, title: 'DatasetPinInput' },
)

/** A dataset. */
export const Dataset = Type.Object(
  {
    namespace: Type.String({ description: 'Namespace of the dataset.', examples: ['default'] }),
    name,
    description: Type.String({ description: 'What the cases test; empty without one.', examples: ['Greetings.'] }),
    allowedNamespaces,
    inputSchema: exemplified(schemaInput('inputs'), { type: 'string' }),
    expectedSchema: exemplified(schemaInput('expected outputs'), { type: 'string' }),
    cases: Type.Integer({ description: 'Number of cases that are not archived.', examples: [3] }),
    labels: Type.Integer({ description: 'Number of labels that no newer label has replaced.', examples: [2] }),
    latestPin: described(Type.Union([DatasetPin, Type.Null()]), 'The latest pin; null before the first one.', null),
    createdBy: Type.String({ description: 'User who created the dataset.', examples: ['ada@example.com'] }),
    createdAt: described(time, 'Creation time.'),
    updatedAt: described(time, 'Time of the last change of its fields or cases.'),
  },
  { title: 'Dataset' },
)

/** A page of datasets, by name. */
export const DatasetList = listOf(Dataset)

/** A label of a case. */
export const DatasetLabel = Type.Object(
  {
    id: Type.String({
      format: 'uuid',
      description: 'UUIDv7 of the label.',
      examples: ['0198c3f0-6f2a-7c1d-9b1e-5a4d3c2b1a08'],
    }),
    caseId: caseIdText,
    name: Type.String({ description: 'What is judged.', examples: ['correct'] }),
    dataType: Type.Enum([...labelTypes], { description: 'Type of the value.', examples: ['boolean'] }),
    value: exemplified({ ...anyValue, description: 'A value of that type.' }, true),
    comment: described(Type.Union([Type.String(), Type.Null()]), 'Comment; null without one.', null),
    source: Type.Enum([...labelSources], { description: 'Who or what gave the label.', examples: ['human'] }),
    annotator: Type.String({ description: 'User who added the label.', examples: ['ada@example.com'] }),
    supersedes: described(
      Type.Union([Type.String({ format: 'uuid' }), Type.Null()]),
      'Id of the label that this one replaced; null for the first.',
      null,
    ),
    current: Type.Boolean({ description: 'Whether it counts: no newer label has replaced it.', examples: [true] }),
    createdAt: described(time, 'Time of the label.'),
  },
  { title: 'DatasetLabel' },
)

/** A page of labels, newest first. */
export const DatasetLabelList = listOf(DatasetLabel)

/** Body of `POST /api/datasets/{name}/cases/{caseId}/labels`. */
export const LabelInput = Type.Object(
  {
    name: Type.String({
      pattern: '^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?$',
      description: 'What is judged: letters, digits, `.`, `_` and `-`.',
      examples: ['correct'],
    }),
    dataType: Type.Enum([...labelTypes], {
      description:
        'Type of the value: a number, a boolean, a category of at most 128 characters, a text of at most 10,000, or for correction what the output should have been.',
    }),
    value: { ...anyValue, description: 'A value of that type.' },
    comment: Type.Optional(text('Why.', 2_000)),
    source: Type.Optional(
      Type.Enum([...labelSources], { default: 'human', description: 'Who or what gives the label.' }),
    ),
    supersedes: Type.Optional(
      Type.String({
        format: 'uuid',
        description:
          'Id of the label to replace. It must be the newest of the case, the name and the caller; without it, the newest is replaced.',
      }),
    ),
  },
  { ...strict, title: 'DatasetLabelInput' },
)

const source = Type.Object(
  {
    runId: Type.Optional(Type.String({ format: 'uuid', description: 'Run from which the case was made.' })),
    traceId: Type.Optional(Type.String({ description: 'Trace of that run.' })),
  },
  { ...strict, title: 'DatasetCaseSource', description: 'Origin of the case; empty without a run.' },
)

const metadata = openObject('Anything else about the case.')
/** Tags of a case. */
export const caseTags = Type.Array(Type.String({ minLength: 1, maxLength: 64, description: 'A tag.' }), {
  maxItems: 32,
  uniqueItems: true,
  description: 'Tags, by which lists filter.',
  examples: [['refund']],
})

/** A case with its current labels. */
export const DatasetCase = Type.Object(
  {
    id: caseIdText,
    input: exemplified({ ...anyValue, description: 'Input of the agent.' }, 'Good morning!'),
    expected: Type.Optional(
      exemplified({ ...anyValue, description: 'Expected output; absent without one.' }, 'Hello!'),
    ),
    metadata: exemplified(metadata, {}),
    source,
    tags: caseTags,
    archived: Type.Boolean({ description: 'Whether it was archived: it is in no further pin.', examples: [false] }),
    digest: Type.String({
      description: 'SHA-256 of id, input, expected output, metadata and tags, as canonical JSON.',
      examples: ['sha256:4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945'],
    }),
    labels: Type.Array(DatasetLabel, { description: 'Labels that count, at most 100, oldest first.' }),
    createdAt: described(time, 'Creation time.'),
    updatedAt: described(time, 'Time of the last change.'),
  },
  { title: 'DatasetCase' },
)

/** A page of cases in the order of their creation. */
export const DatasetCaseList = listOf(DatasetCase)

/** Query of the list of cases. */
export const CaseListQuery = Type.Object(
  {
    namespace: ofNamespace,
    tag: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'Cases with this tag.' })),
    archived: Type.Optional(
      Type.Boolean({ default: false, description: 'Archived cases instead of those that are not.' }),
    ),
    unlabelled: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'Cases to which the caller has given no label of this name.',
        examples: ['correct'],
      }),
    ),
    version: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'The cases of this pin, by id.' }),
    ),
    limit: Type.Optional(limit),
    cursor: Type.Optional(cursor),
  },
  strict,
)

const caseFields = {
  input: { ...anyValue, description: 'Input of the agent.' },
  expected: Type.Optional({ ...anyValue, description: 'Expected output.' }),
  metadata: Type.Optional(metadata),
  tags: Type.Optional(caseTags),
}

/** Body of `PUT /api/datasets/{name}/cases/{caseId}`. */
export const CaseInput = Type.Object(caseFields, { ...strict, title: 'DatasetCaseInput' })

/** A case of an import. */
export const ImportedCase = Type.Object(
  { id: Type.Optional(caseIdText), ...caseFields },
  { ...strict, title: 'ImportedDatasetCase' },
)

/** JSON body of an import. Each case is checked by itself, so that errors name its row. */
export const ImportInput = Type.Object(
  {
    cases: shownAs(
      Type.Array(Type.Unknown(), { minItems: 1, description: 'Cases; one with a known id replaces that case.' }),
      Type.Array(ImportedCase, { minItems: 1, description: 'Cases; one with a known id replaces that case.' }),
    ),
  },
  { ...strict, title: 'DatasetImport' },
)

/** Response of an import. */
export const ImportedCases = Type.Object(
  {
    created: Type.Integer({ description: 'Number of new cases.', examples: [3] }),
    updated: Type.Integer({ description: 'Number of changed cases.', examples: [0] }),
    unchanged: Type.Integer({ description: 'Number of cases that were stored already.', examples: [0] }),
  },
  { title: 'ImportedDatasetCases' },
)

const pathId = (description: string, example: string) =>
  shownAs(Type.String({ maxLength: 1024 }), Type.String({ description, examples: [example] }))
const pathName = Type.String({ description: 'Name of the dataset.', examples: ['greetings'] })

/** Path of a dataset. */
export const DatasetParams = Type.Object({ name: pathName })
/** Path of a case; any string, since a malformed id gets the response for an unknown one. */
export const CaseParams = Type.Object({ name: pathName, caseId: pathId('Id of the case.', 'refund-1') })
/** Path of a pin. */
export const PinParams = Type.Object({ name: pathName, version: pathId('Version of the pin.', '1') })
/** Path of the file of an export. */
export const ExportParams = Type.Object({
  name: pathName,
  runId: pathId('Id of the run of the export.', '019a0000-0000-7000-8000-000000000000'),
})
