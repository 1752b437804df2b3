import assert from 'node:assert/strict'
import test from 'node:test'
import { changedFields } from '#ui/parts/yaml/changed-fields.ts'
import { changedYaml, exampleSchema, exampleYaml } from '#ui/parts/document/example-document.states.ts'
import { patchYaml } from '#ui/parts/yaml/patch-source.ts'
import { checkValue } from '#ui/parts/yaml/schema-problems.ts'
import { resolveSchema, shapeOf } from '#ui/parts/yaml/schema-shape.ts'
import { problemsOf } from '#ui/parts/yaml/source-problems.ts'
import { readYaml, toPath, toPointer } from '#ui/parts/yaml/yaml-source.ts'
import { onlyInYaml } from '#ui/parts/form/only-in-yaml.ts'

const spec = (text: string) => `metadata:\n  name: a\nspec:\n${text}`
const lines = (text: string, refused: readonly { pointer: string; detail: string }[] = []) =>
  problemsOf(readYaml(text), exampleSchema, refused).map(({ line, message }) => [line, message])

test('problems stand at their lines: those of the schema and those of the server', () => {
  assert.deepEqual(lines(exampleYaml), [])
  assert.deepEqual(lines(spec('  quota:\n    concurrency: 40\n    window: week\n')), [
    [5, 'spec.quota.concurrency: must be at most 20'],
    [6, 'spec.quota.window: must be hour, day'],
  ])
  assert.deepEqual(lines('metadata: {}\nspec:\n  namespaces: [1, a, b]\n'), [
    [1, 'metadata: name is required'],
    [3, 'spec.namespaces: must have at most 2 entries'],
  ])
  const refused = [
    { pointer: '/spec/quota/concurrency', detail: 'is too large' },
    { pointer: '/spec/missing/deep', detail: 'is missing' },
    { pointer: 'no pointer', detail: 'odd' },
  ]
  assert.deepEqual(lines(exampleYaml, refused), [
    [1, 'odd'],
    [4, 'spec.missing.deep: is missing'],
    [9, 'spec.quota.concurrency: is too large'],
  ])
})

test('what does not parse has its line, and no value', () => {
  for (const [text, line] of [
    ['a: [1\nb: 2', 2],
    ['a: 1\na: 2\n', 2],
    ['a:\n\tb: 1\n', 2],
    ['a: "\n', 2],
    ['---\na: 1\n---\nb: 1\n', 3],
    ['a: *missing\n', 1],
  ] as const) {
    const { value, problems } = readYaml(text)
    assert.equal(value, undefined, text)
    assert.equal(problems[0]?.line, line, `${text}: ${JSON.stringify(problems)}`)
  }
})

test('hostile documents end: aliases of aliases, depth, names of the prototype, a megabyte', () => {
  const laughs = Array.from({ length: 12 }, (_, level) => `a${level}: &a${level} [${`*a${level - 1}, `.repeat(9)}1]`)
  assert.match(readYaml(laughs.join('\n').replaceAll('*a-1, ', '')).problems[0]?.message ?? '', /alias/)
  assert.match(readYaml('['.repeat(3000)).problems[0]?.message ?? '', /./)
  assert.match(readYaml(`${'['.repeat(200)}${']'.repeat(200)}`).problems[0]?.message ?? '', /60 levels/)
  const { value } = readYaml('__proto__: {polluted: 1}\nconstructor: 2\n')
  assert.deepEqual(Object.keys(value as object), ['__proto__', 'constructor'])
  assert.equal(({} as { polluted?: unknown }).polluted, undefined)
  assert.deepEqual(checkValue(exampleSchema, value).length, 2)
  assert.equal(patchYaml(readYaml('spec: {}\n'), ['spec', 'ref', 'name'], 'x'), 'spec:\n  ref:\n    name: x\n')
  assert.equal(patchYaml(readYaml('a: { b: {} }\n'), ['a', 'b', 'c'], 'x'), 'a: { b: { c: x } }\n')
  const patched = patchYaml(readYaml('spec: {}\n'), ['spec', '__proto__'], 'x')
  assert.match(patched, /__proto__: x/)
  assert.equal(JSON.stringify(readYaml(`text: "${'long '.repeat(200_000)}"`).value).length, 1_000_011)
})

test('a patch changes one path: comments, order, quotes and unknown fields stay', () => {
  const patch = (text: string, pointer: string, value: unknown): string =>
    patchYaml(readYaml(text), toPath(readYaml(text), pointer), value)
  assert.equal(patch(exampleYaml, '/spec/quota/concurrency', 40), exampleYaml.replace('12', '40'))
  assert.equal(patch(exampleYaml, '/spec/namespaces/1', 'a, b'), exampleYaml.replace('triage', '"a, b"'))
  assert.match(patch(exampleYaml, '/spec/about', 'line 1\nline 2'), /# Two namespaces\.\n[\s\S]*about: \|-\n    line 1/)
  assert.equal(patch(exampleYaml, '/spec/colour', undefined), exampleYaml.replace('  colour: violet\n', ''))
  assert.equal(patch('spec:\n', '/spec/quota/concurrency', 3), 'spec:\n  quota:\n    concurrency: 3\n')
  assert.equal(patch('', '/metadata/name', 'a'), 'metadata:\n  name: a\n')
  assert.equal(patch('a: "1" # one\n', '/a', 'say "x"'), 'a: "say \\"x\\"" # one\n')
  assert.equal(patch('a: b\n', '/a', '5'), 'a: "5"\n')
  assert.equal(patch('a: b\n', '/a', '# no comment'), 'a: "# no comment"\n')
  assert.equal(patch('a: {b: c}\n', '/a/b', 'x}, y: z'), 'a: {b: "x}, y: z"}\n')
  assert.equal(patch('q:\n  w:\n    c: 1\nx: 1\n', '/q/w/c', undefined), 'x: 1\n')
  // Through an alias another name would change, too.
  const shared = 'a: &a {b: 1}\nc: *a\n'
  assert.equal(patch(shared, '/c/b', 2), shared)
  assert.equal(patch('a: [1\n', '/a', 2), 'a: [1\n')
})

test('what the form does not show is named', () => {
  const names = (text: string, hidden: readonly string[] = []): readonly string[] =>
    onlyInYaml(readYaml(text), exampleSchema, hidden).map(toPointer)
  assert.deepEqual(names(exampleYaml), ['/spec/colour'])
  assert.deepEqual(names(exampleYaml, ['/spec/colour']), [])
  assert.deepEqual(names(spec('  quota: 5\n  namespaces: a\n  parent: {parent: {x: 1}}\n')), [
    '/spec/quota',
    '/spec/namespaces',
    '/spec/parent/parent/x',
  ])
  assert.deepEqual(names('spec: &s {displayName: a}\nmetadata: *s\n'), ['/metadata'])
})

test('schemas with cycles and without a target end', () => {
  const named = {
    A: { $ref: '#/components/schemas/B' },
    B: { $ref: '#/components/schemas/A' },
    Null: { anyOf: [{ type: 'string' }, { type: 'null' }], description: 'x' },
  }
  const shape = (node: object): string => shapeOf(resolveSchema({ node: { ...node }, named }))
  assert.equal(shape({ $ref: '#/components/schemas/A' }), 'other')
  assert.equal(shape({ $ref: '#/components/schemas/__proto__' }), 'other')
  assert.equal(shape({ $ref: 'https://elsewhere.example/schema' }), 'other')
  assert.equal(shape({ $ref: '#/components/schemas/Null' }), 'string')
  assert.equal(shape({ anyOf: [{ type: 'integer' }, { type: 'string' }] }), 'string', 'a number or a text')
  assert.equal(shape({ anyOf: [{ type: 'integer' }, { type: 'object' }] }), 'other')
  assert.equal(shape({ anyOf: [{ type: 'integer' }, { type: 'string' }, { type: 'object' }] }), 'other')
  assert.deepEqual(checkValue({ node: { type: 'string', pattern: '(' }, named }, 'x'), [])
})

test('differences are the operations of RFC 6902', () => {
  const before = readYaml(exampleYaml).value
  assert.deepEqual(changedFields(before, readYaml(changedYaml).value), [
    { op: 'add', path: '/spec/namespaces/2', to: 'שירות' },
    { op: 'replace', path: '/spec/quota/concurrency', from: 12, to: 40 },
    { op: 'remove', path: '/spec/colour', from: 'violet' },
  ])
  assert.deepEqual(changedFields(before, before), [])
  assert.deepEqual(changedFields({ 'a/b~': 1 }, { 'a/b~': [] }), [{ op: 'replace', path: '/a~1b~0', from: 1, to: [] }])
  assert.equal(changedFields(0, Array.from({ length: 9 })).length, 1)
})
