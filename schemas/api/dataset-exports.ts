import { Type } from 'typebox'
import { described } from '../values/described.ts'
import { runStates } from '../runs/run.ts'
import { time } from './common.ts'
import { DATASET_NAME_PATTERN, caseTags } from './datasets.ts'
import { redactionBounds } from './sharing.ts'

const strict = { additionalProperties: false }

/** What is removed from contents of runs. */
const redaction = Type.Object(
  {
    redact: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: redactionBounds.name, description: 'A kind or a pattern.' }), {
        maxItems: redactionBounds.names,
        description:
          'Removed from every text, besides secrets: email, phone, credit_card, iban, us_ssn, ip_address, or a pattern of RE2.',
        examples: [['email']],
      }),
    ),
  },
  {
    ...strict,
    title: 'DatasetRedaction',
    description: 'What is removed; the trace policies of the agents may remove more.',
  },
)

/** Body of `POST /api/datasets/{name}/cases/from-run`. */
export const FromRunInput = Type.Object(
  {
    runId: Type.String({
      maxLength: 64,
      description: 'Id of the run.',
      examples: ['019a0000-0000-7000-8000-000000000000'],
    }),
    expected: Type.Optional(
      Type.Enum(['output', 'none'], {
        default: 'output',
        description: 'Whether the output of the run is the expected output of the case.',
      }),
    ),
    redaction: Type.Optional(redaction),
    tags: Type.Optional(caseTags),
  },
  { ...strict, title: 'CaseFromRun' },
)

/** Which runs are exported. */
const exportFilter = Type.Object(
  {
    agent: Type.Optional(Type.String({ minLength: 1, maxLength: 253, description: 'Runs of this agent.' })),
    from: Type.Optional(described(time, 'Runs that were created at this time or later.')),
    to: Type.Optional(described(time, 'Runs that were created before this time.')),
    state: Type.Optional(
      Type.Enum([...runStates], { default: 'succeeded', description: 'Runs in this state.', examples: ['succeeded'] }),
    ),
    score: Type.Optional(
      Type.Object(
        {
          name: Type.Optional(
            Type.String({ maxLength: 128, description: 'Name of the score; without one, of every score.' }),
          ),
          min: Type.Optional(Type.Number({ description: 'Minimum of a number.' })),
          max: Type.Optional(Type.Number({ description: 'Maximum of a number.' })),
          equals: Type.Optional(
            Type.Union([Type.Number(), Type.Boolean(), Type.String({ maxLength: 256 })], {
              description: 'A number, a decision or a label.',
            }),
          ),
        },
        { ...strict, description: 'Runs with feedback that has such a score.' },
      ),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100_000,
        default: 1_000,
        description: 'Maximum number of runs, newest first.',
      }),
    ),
  },
  { ...strict, title: 'DatasetExportFilter', description: 'Which runs of the namespace are exported.' },
)

/** Body of `POST /api/datasets/{name}/export`. */
export const ExportInput = Type.Object(
  {
    filter: Type.Optional(exportFilter),
    redaction: Type.Optional(redaction),
    expected: Type.Optional(
      Type.Enum(['output', 'none'], {
        default: 'output',
        description: 'Whether outputs of the runs are the expected outputs of the cases.',
      }),
    ),
    into: Type.Optional(
      Type.String({
        pattern: DATASET_NAME_PATTERN,
        description: 'Dataset that gets the cases; created if it does not exist. Default: that of the path.',
      }),
    ),
    format: Type.Optional(
      Type.Literal('ndjson', {
        description: 'Writes a file instead, read by `GET /api/datasets/{name}/exports/{runId}`.',
      }),
    ),
  },
  { ...strict, title: 'DatasetExport' },
)

/** The file of an export. */
export const ExportLines = Type.String({
  contentMediaType: 'application/x-ndjson',
  examples: ['{"id":"refund-1","input":"Good morning!","expected":"Hello!","metadata":{},"tags":[]}\n'],
})
