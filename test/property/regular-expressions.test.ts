import assert from 'node:assert/strict'
import test from 'node:test'
import { RegExpParser, visitRegExpAST } from '@eslint-community/regexpp'
import { analyse } from 'scslre'
import { patternsIn, sourcePatterns } from './source-patterns.ts'
import type { SourcePattern } from './source-patterns.ts'

// Made of text that is not in the source, and why that is no risk.
const dynamic: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['encoded-token', 'encodings', 'joints', 'special-characters', 'spelled'].map((file) => [
      `core/guardrails/readings/${file}.ts`,
      'constants of the folder, whose cost on 1 MiB is measured by text-cost.test.ts',
    ]),
  ),
  'plugins/datasets/cases/case-id.ts': 'a constant of the schemas, which is checked below',
  'schemas/agent-file/check-schema.ts': 'patterns of our own schemas, which are checked below',
  'schemas/names/conversation-id.ts': 'a constant of the same file, which is checked below',
  'schemas/values/pod-limits.ts':
    'constants of the same file, over keys of at most 317 characters and paths of bounded length',
  'schemas/values/duration.ts': 'a constant of the same file, which is checked below',
}
// Run by a developer over a file of the repository, never by the product.
const tools = new Set(['local/apiserver/json/generate-protobuf-messages.ts'])

const fileOf = ({ place }: SourcePattern): string => place.split(':', 1)[0] ?? ''

/** Places of a pattern where a text of length n costs more than n steps, by static analysis of its automaton. */
function superLinear({ source, flags }: SourcePattern): readonly string[] {
  const parser = new RegExpParser()
  const unicode = { unicode: flags.includes('u'), unicodeSets: flags.includes('v') }
  const pattern = parser.parsePattern(source, 0, source.length, unicode)
  const { reports } = analyse({ pattern, flags: parser.parseFlags(flags) })
  const twice: string[] = []
  // The analysis joins equal alternatives, which the engine tries one after the other.
  const see = ({ alternatives }: { readonly alternatives: readonly { readonly raw: string }[] }): void => {
    if (new Set(alternatives.map(({ raw }) => raw)).size < alternatives.length)
      twice.push('an alternative stands twice')
  }
  visitRegExpAST(pattern, { onGroupEnter: see, onCapturingGroupEnter: see })
  return [
    ...twice,
    ...reports.map(({ type, exponential }) => `${exponential ? 'exponential' : 'polynomial'} (${type})`),
  ]
}

test('X2: every regular expression of the source is linear, and none is made of text from elsewhere', (t) => {
  const patterns = sourcePatterns()
  const bad = patterns
    .filter(({ dynamic: made }) => !made)
    .flatMap((pattern) => {
      const reports = tools.has(fileOf(pattern)) ? [] : superLinear(pattern)
      return reports.length === 0 ? [] : [`${pattern.place} /${pattern.source}/${pattern.flags}: ${reports.join(', ')}`]
    })
  assert.deepEqual(bad, [])
  const made = patterns.filter((pattern) => pattern.dynamic && dynamic[fileOf(pattern)] === undefined)
  assert.deepEqual(made, [], 'a pattern of a caller runs in RE2')
  assert.ok(patterns.length > 150, 'the source has more of them')
  t.diagnostic(`${patterns.length} patterns`)
})

test('X2: the analysis sees what is not linear, wherever it stands', () => {
  const text = [
    String.raw`const a = /^(a+)+$/`,
    String.raw`const b = new RegExp('^a*a*$')`,
    String.raw`const c = { pattern: '^(x|x)*y$' }`,
    String.raw`const NAME_PATTERN = '(?:a|aa)+$'`,
    String.raw`const d = text.replace(/-+$/, '')`,
    String.raw`const e = RegExp(given)`,
  ].join('\n')
  const found = patternsIn('sample.ts', text)
  assert.deepEqual(
    found.map((pattern) => [pattern.place, pattern.dynamic ? 'made' : superLinear(pattern).length > 0]),
    [1, 2, 3, 4, 5].map((line) => [`sample.ts:${line}`, true] as unknown).concat([['sample.ts:6', 'made']]),
  )
})
