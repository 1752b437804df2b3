import { API_VERSION } from '#schemas/names/group.ts'
import { PROMPT_KIND } from '#schemas/api/prompts.ts'

const content = { text: 'You greet {{name}} in one sentence.', commitMessage: 'Greet by name.' }
const chat = { messages: [{ role: 'system', content: 'You greet {{name}}.' }], config: { temperature: 0.2 } }

/** Example bodies. */
export const promptExamples = {
  create: {
    flat: { summary: 'A text', value: { namespace: 'demo', name: 'greet', ...content } },
    document: {
      summary: 'A document, as expand prints it',
      value: { apiVersion: API_VERSION, kind: PROMPT_KIND, metadata: { namespace: 'demo', name: 'greet' }, spec: chat },
    },
  },
  change: {
    content: { summary: 'A further version, which gets a label', value: { ...content, labels: ['staging'] } },
    labels: { summary: 'Move labels', value: { labels: { production: 1 } } },
  },
} as const
