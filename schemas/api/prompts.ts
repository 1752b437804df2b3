import { Type } from 'typebox'
import type { Static, TObject } from 'typebox'
import { ModelParams } from '../kinds/model-params.ts'
import { API_VERSION } from '../names/group.ts'
import { described } from '../values/described.ts'
import { shownAs } from '../values/shown-as.ts'
import { anyObject, dryRun } from './common.ts'

const strict = { additionalProperties: false }
const LABEL_PATTERN = '^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$'
const MAX_INTEGER = 2_147_483_647

/** Kind of the documents. */
export const PROMPT_KIND = 'PromptVersion'

/** Maximum number of characters of a text, and of the messages of a prompt together. */
export const MAX_PROMPT_TEXT = 131_072

const message = Type.Object(
  {
    role: Type.Enum(['system', 'user', 'assistant'], { description: 'Who speaks.', examples: ['system'] }),
    content: Type.String({
      minLength: 1,
      maxLength: MAX_PROMPT_TEXT,
      description: 'Content of the message; each {{name}} is a variable.',
      examples: ['You greet {{name}}.'],
    }),
  },
  { ...strict, title: 'PromptMessage' },
)

/** What a prompt says: its text or messages, with their variables and model parameters. */
export const promptContent = {
  text: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_PROMPT_TEXT,
      description: 'Text of the prompt; each {{name}} is a variable. Excludes messages.',
      examples: ['You greet {{name}} in one sentence.'],
    }),
  ),
  messages: Type.Optional(
    Type.Array(message, { minItems: 1, maxItems: 64, description: 'Messages of the prompt. Excludes text.' }),
  ),
  variables: Type.Optional(
    described(
      anyObject,
      'JSON Schema of the variables, an object with one property for each. Absent: each variable is a required string.',
      { type: 'object', properties: { name: { type: 'string', default: 'you' } } },
    ),
  ),
  config: Type.Optional(
    described(
      Type.Object(ModelParams.properties, strict),
      'Parameters of model calls; those of an agent take precedence.',
      {
        temperature: 0.2,
      },
    ),
  ),
  tags: Type.Optional(
    described(
      Type.Array(Type.String({ minLength: 1, maxLength: 63 }), { maxItems: 16, uniqueItems: true }),
      'Tags of the version.',
      ['support'],
    ),
  ),
}

const commitMessage = Type.Optional(
  Type.String({ maxLength: 1024, description: 'Why the version was made.', examples: ['Greet by name.'] }),
)

/** Fields of a version that its author writes. */
export const PromptFields: TObject<typeof promptContent & { commitMessage: typeof commitMessage }> = Type.Object({
  ...promptContent,
  commitMessage,
})

/** Fields of a version that the platform sets. */
export const PromptDerived = Type.Object({
  type: Type.Enum(['text', 'chat'], { description: 'Whether it has a text or messages.', examples: ['text'] }),
  contentHash: Type.String({
    pattern: '^sha256:[0-9a-f]{64}$',
    description: 'SHA-256 of the content as canonical JSON (RFC 8785), without commitMessage.',
    examples: [`sha256:${'0'.repeat(64)}`],
  }),
  parent: described(Type.Union([Type.Integer(), Type.Null()]), 'Version that it follows; null for the first one.', 1),
})

const type = Type.Optional(PromptDerived.properties.type)
const label = Type.String({ pattern: LABEL_PATTERN, description: 'A label.', examples: ['staging'] })
const newLabels = described(
  Type.Array(label, { maxItems: 16, uniqueItems: true }),
  'Labels to move to the version; a protected one needs `promote promptversions`.',
  ['staging'],
)
const written = { type, ...PromptFields.properties, labels: Type.Optional(newLabels) }
const promptName = Type.String({
  pattern: LABEL_PATTERN,
  description: 'Name of the prompt: an RFC 1123 label.',
  examples: ['greet'],
})
const namespace = Type.Optional(
  Type.String({
    maxLength: 63,
    description: 'Namespace of the prompt; empty or absent is `default`.',
    examples: ['default'],
  }),
)

/** A new version in the flat form. */
export const FlatPrompt = Type.Object({ namespace, name: promptName, ...written }, { ...strict, title: 'PromptInput' })

/** A new version as a document: what `expand` prints. */
export const PromptDocument = Type.Object(
  {
    apiVersion: Type.Optional(described(Type.Literal(API_VERSION), 'Group and version of the kind.')),
    kind: described(Type.Literal(PROMPT_KIND), 'Kind of the document.'),
    metadata: described(Type.Object({ namespace, name: promptName }, strict), 'Namespace and name of the prompt.'),
    spec: described(Type.Object(written, strict), 'Content of the version.'),
  },
  { ...strict, title: 'PromptDocument' },
)

const name = Type.Optional(promptName)

/** New content of a prompt whose name is in the path. */
export const PromptContentInput = Type.Object(
  { namespace, name, ...written },
  { ...strict, title: 'PromptContentInput' },
)

const version = (description: string) => Type.Integer({ minimum: 1, maximum: MAX_INTEGER, description, examples: [1] })

/** Labels to move: each with its version, or names with one version for all. */
export const PromptLabelsInput = Type.Object(
  {
    labels: Type.Union(
      [
        described(
          Type.Record(
            Type.String({ pattern: LABEL_PATTERN }),
            Type.Union([version('Version to which the label points.'), Type.Null()]),
            { minProperties: 1, maxProperties: 16 },
          ),
          'Version of each label; null removes the label.',
          { production: 1 },
        ),
        newLabels,
      ],
      { description: 'Labels to move: each with its version, or names.' },
    ),
    version: Type.Optional(version('Version of the named labels. Default: the latest one.')),
  },
  { ...strict, title: 'PromptLabelsInput' },
)

/** Body of `POST /api/promptversions`; its form is chosen by its fields, and checked by that. */
export const NewPromptBody = shownAs(anyObject, Type.Union([FlatPrompt, PromptDocument], { title: 'NewPromptInput' }))

/** Body of `PUT /api/promptversions/{ns}/{name}`. */
export const PromptBody = shownAs(
  anyObject,
  Type.Union([PromptContentInput, PromptLabelsInput, PromptDocument], { title: 'PromptVersionInput' }),
)

const which = (description: string) =>
  Type.String({ minLength: 1, maxLength: 63, description, examples: ['1', 'production'] })

/** Query of the diff. */
export const PromptDiffQuery = Type.Object({
  from: which('Version or label on the left.'),
  to: Type.Optional(which('Version or label on the right. Default: `latest`.')),
})

/** Query of a deletion. */
export const PromptDeleteQuery = Type.Object({
  version: Type.Optional(version('Version to delete. Default: all of them.')),
  dryRun: Type.Optional(dryRun),
})

/** What the author of a version writes. */
export type PromptContent = Static<typeof PromptFields>
/** Who speaks, and what. */
export type PromptMessage = Static<typeof message>
/** A stored version. */
export type PromptVersionFields = PromptContent & Static<typeof PromptDerived>

/** A prompt as the API shows it: the fields of one of its versions, and the version of each label. */
export interface ListedPrompt extends PromptVersionFields {
  readonly namespace: string
  readonly name: string
  readonly version: number
  readonly labels: Readonly<Record<string, number>>
  readonly createdAt: string
  readonly createdBy: string
  readonly updatedAt: string
  readonly updatedBy: string
}

/** A version in a list. */
export interface ListedVersion extends PromptVersionFields {
  readonly version: number
  readonly createdAt: string
  readonly createdBy: string
}

/** A move of a label. */
export interface PromptMove {
  readonly label: string
  readonly from: number | null
  readonly to: number | null
  readonly movedAt: string
  readonly movedBy: string
}
