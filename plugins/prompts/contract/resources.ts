import { defineStored } from '#core/http/store/declared/stored-resource.ts'
import { PROMPT_KIND, PromptDerived, PromptFields } from '#schemas/api/prompts.ts'

/** Prompts: named texts with immutable versions, and labels that move between them. */
export const promptResource = defineStored({
  plugin: 'prompts',
  kind: PROMPT_KIND,
  plural: 'promptversions',
  description: 'A prompt: a text or messages for models, with immutable versions.',
  fields: PromptFields,
  derived: PromptDerived,
  sample: { text: 'You greet {{name}} in one sentence.', commitMessage: 'Greet by name.' },
  search: ['text', 'commitMessage'],
  revisions: { reads: 'production', protects: ['production'] },
})
