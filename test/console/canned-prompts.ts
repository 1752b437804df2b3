import type { ListedPrompt, ListedVersion, PromptMove } from '#schemas/api/prompts.ts'
import { hostileName } from './canned-providers.ts'
import { cannedShell } from './fake-console.ts'
import type { CannedResponses } from './fake-console.ts'

const now = '2026-11-24T08:00:00Z'
const digest = `sha256:${'a'.repeat(64)}`
const long = 'x'.repeat(2_000)
const written = { createdAt: now, createdBy: hostileName, parent: null, contentHash: digest }

const versions: readonly ListedVersion[] = [
  { ...written, version: 3, type: 'text', text: `Greet {{name}} ${long}`, commitMessage: hostileName },
  { ...written, version: 2, type: 'text', text: 'Greet {{name}} and {{__proto__}}.', tags: ['b'] },
  {
    ...written,
    version: 1,
    type: 'chat',
    messages: [
      { role: 'system', content: hostileName },
      { role: 'user', content: '{{name}}' },
    ],
    variables: { properties: { name: { default: hostileName } } },
    config: { temperature: 0.2 },
  },
]

/** A prompt whose live version is not its latest one. */
export const greet: ListedPrompt = {
  ...written,
  namespace: 'demo',
  name: 'greet',
  type: 'text',
  text: `Greet {{name}} ${long}`,
  version: 3,
  labels: { production: 2, staging: 3, ['z'.repeat(63)]: 1 },
  updatedAt: now,
  updatedBy: 'ada',
}

const moves: readonly PromptMove[] = [
  { label: 'staging', from: null, to: 3, movedAt: now, movedBy: hostileName },
  { label: 'old', from: 1, to: null, movedAt: now, movedBy: 'ada' },
]
const users = [{ kind: 'AgentDeployment', namespace: 'demo', name: 'y'.repeat(63), field: 'spec.prompt', found: true }]
const pages = [{ id: 'prompts', title: 'Prompts', section: 'Build', path: '/prompts', capability: 'prompts' }]

/** A prompt with three versions, labels and agents. */
export const cannedPrompts: CannedResponses = {
  ...cannedShell,
  '/api/capabilities': { profile: 'open', pages, capabilities: [{ id: 'prompts', enabled: true }] },
  '/api/promptversions': { items: [greet, { ...greet, name: 'n'.repeat(63), labels: {} }], nextCursor: null },
  '/api/promptversions/demo/greet': greet,
  '/api/promptversions/demo/greet/versions': { items: versions, nextCursor: null },
  '/api/promptversions/demo/greet/history': { items: moves, nextCursor: null },
  '/api/usedby': { items: users, nextCursor: null },
}
