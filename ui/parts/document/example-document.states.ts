import type { ValueSchema } from '../yaml/schema-shape.ts'

/** A document of the page of parts. */
export const exampleYaml = `# Limits of the team.
metadata:
  name: support
spec:
  displayName: Customer support
  # Two namespaces.
  namespaces: [support, triage]
  quota:
    concurrency: 12
    window: day
  colour: violet
`

/** The same, changed. */
export const changedYaml = exampleYaml
  .replace('concurrency: 12', 'concurrency: 40')
  .replace('  colour: violet\n', '')
  .replace('[support, triage]', '[support, triage, שירות]')

/** The schema of both. */
export const exampleSchema: ValueSchema = {
  node: {
    type: 'object',
    required: ['metadata', 'spec'],
    properties: { metadata: { $ref: '#/components/schemas/Meta' }, spec: { $ref: '#/components/schemas/Spec' } },
  },
  named: {
    Meta: {
      type: 'object',
      required: ['name'],
      properties: {
        name: { type: 'string', maxLength: 63, description: 'Name of the object.' },
        labels: { type: 'object', additionalProperties: { type: 'string' }, description: 'Labels by key.' },
      },
    },
    Spec: {
      type: 'object',
      properties: {
        displayName: { type: 'string', maxLength: 128, description: 'Name to show.' },
        namespaces: { type: 'array', maxItems: 2, items: { type: 'string' }, description: 'Namespaces of the tenant.' },
        about: { type: 'string', maxLength: 4000, description: 'What it is for.' },
        isShared: { type: 'boolean', default: false, description: 'Whether others may use it.' },
        quota: { $ref: '#/components/schemas/Quota' },
        extra: { type: 'object', description: 'What other programs keep here.' },
        // A schema that contains itself.
        parent: { $ref: '#/components/schemas/Spec' },
      },
    },
    Quota: {
      type: 'object',
      properties: {
        concurrency: { type: 'integer', minimum: 1, maximum: 20, description: 'Model calls at once.' },
        window: { type: 'string', enum: ['hour', 'day'], default: 'hour', description: 'Window of the limit.' },
      },
    },
  },
}
