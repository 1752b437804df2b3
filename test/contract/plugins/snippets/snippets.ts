// Texts with immutable revisions, labels that move between them, and append-only reviews: the form of prompts and datasets.
import { definePlugin, defineStored, Fail, storeCrud, Type } from '@mesh.dev/mesh/plugin'

const text = Type.String({ minLength: 1, maxLength: 10_000, description: 'Text.', examples: ['Hello.'] })
const aspect = Type.String({ pattern: '^[a-z]{1,30}$', description: 'What is judged.', examples: ['tone'] })
const verdict = Type.Boolean({ description: 'Whether it is good.' })
const snippets = defineStored({
  domain: 'com.acme',
  plugin: 'snippets',
  kind: 'Snippet',
  plural: 'snippets',
  description: 'A text that is used by its label.',
  fields: Type.Object({ text }),
  sample: { text: 'Hello.' },
  revisions: { reads: 'production', protects: ['production'], most: 5 },
  children: {
    reviews: {
      kind: 'SnippetReview',
      description: 'A judgement of a snippet.',
      fields: Type.Object({ aspect, verdict }),
      sample: { aspect: 'tone', verdict: true },
      newestPer: ['aspect'],
      most: 4,
    },
  },
})

// oxlint-disable-next-line import/no-default-export -- the form of a plugin that mesh.yaml lists
export default definePlugin({
  contract: 1,
  name: 'snippets',
  settings: Type.Object({}),
  stored: [
    storeCrud(snippets, {
      reserved: ['new'],
      check: async (_caller, { fields }) => {
        if (fields?.text === 'refused') throw new Fail('invalid_body', 'The text is refused.')
      },
    }),
  ],
  create: () => ({}),
})
