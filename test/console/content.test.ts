import assert from 'node:assert/strict'
import test from 'node:test'
import { parseInline } from '../../ui/parts/content/inline-words.ts'
import { toJsonLines } from '../../ui/parts/content/json-lines.ts'
import { parseMessage } from '../../ui/parts/content/message-blocks.ts'
import { quoteWord, toCommand, toCurl } from '../../ui/parts/content/shell-words.ts'

const shown = (value: unknown, toggled: readonly string[] = []): readonly string[] =>
  toJsonLines(value, new Set(toggled)).map(
    ({ depth, name, shown: words, isLast, kind }) =>
      `${' '.repeat(depth)}${name === undefined ? '' : `${name}: `}${words}${isLast || kind === 'open' ? '' : ','}`,
  )

test('JSON is shown line by line, three levels of it open', () => {
  assert.deepEqual(shown({ a: [1, 'x'], b: null, c: { d: { e: { f: 1 } } }, g: {} }), [
    '{',
    ' a: [',
    '  1,',
    '  "x"',
    ' ],',
    ' b: null,',
    ' c: {',
    '  d: {',
    '   e: {}',
    '  }',
    ' },',
    ' g: {}',
    '}',
  ])
  assert.deepEqual(shown({ c: { d: { e: { f: 1 } } } }, ['/c/d/e']).slice(3, 6), ['   e: {', '    f: 1', '   }'])
  assert.deepEqual(shown({ a: { b: 1 } }, ['']), ['{}'])
})

test('a name with signs of a pointer folds by itself, and undefined is nothing', () => {
  const [, line] = toJsonLines({ 'a/b~c': { d: 1 }, e: undefined }, new Set())
  assert.equal(line?.pointer, '/a~1b~0c')
  assert.deepEqual(shown('<img src=x>'), ['"<img src=x>"'])
  assert.deepEqual(shown(undefined), ['null'])
})

test('a large value and a long string are cut', () => {
  const lines = toJsonLines(
    Array.from({ length: 100_000 }, () => 0),
    new Set(),
  )
  assert.equal(lines.length, 20_002)
  assert.equal(lines[20_000]?.kind, 'cut')
  assert.equal(toJsonLines('x'.repeat(1_000_000), new Set())[0]?.shown.length, 10_003)
})

test('a message has code, lists, tables, headings and paragraphs', () => {
  const source = [
    '# Title',
    'One line',
    'and another.',
    '- a',
    '- b',
    '  goes on',
    '1. first',
    '',
    '| a | b |',
    '|---|---|',
    '| 1 |',
    '```ts',
    '# no title',
    '- no list',
  ]
  assert.deepEqual(parseMessage(source.join('\n')), [
    { kind: 'heading', words: 'Title' },
    { kind: 'paragraph', words: 'One line\nand another.' },
    { kind: 'list', isOrdered: false, items: ['a', 'b\ngoes on'] },
    { kind: 'list', isOrdered: true, items: ['first'] },
    { kind: 'table', head: ['a', 'b'], rows: [['1', '']] },
    { kind: 'code', language: 'ts', words: '# no title\n- no list' },
  ])
  assert.deepEqual(parseMessage('\n \n'), [])
  assert.deepEqual(parseMessage('<script>alert(1)</script>'), [
    { kind: 'paragraph', words: '<script>alert(1)</script>' },
  ])
})

test('a line has code, bold, italic and links; an image and a script are text', () => {
  assert.deepEqual(parseInline('a `b` **c** *d* [e](https://x.example/y)'), [
    { kind: 'words', words: 'a ' },
    { kind: 'code', words: 'b' },
    { kind: 'words', words: ' ' },
    { kind: 'bold', words: 'c' },
    { kind: 'words', words: ' ' },
    { kind: 'italic', words: 'd' },
    { kind: 'words', words: ' ' },
    { kind: 'link', words: 'e', to: 'https://x.example/y', host: 'x.example' },
  ])
  for (const line of [
    '[a](javascript:alert(1))',
    '[a](data:text/html,x)',
    '[a](//evil.example)',
    '![a](https://evil.example/a.png',
  ])
    assert.ok(
      parseInline(line).every((part) => part.kind !== 'link' || part.words.startsWith('https://')),
      line,
    )
  assert.equal(parseInline('2 * 3 * 4').length, 1)
})

test('long hostile lines are parsed in a bounded time', () => {
  const began = performance.now()
  for (const sign of ['*', '`', '[', '[a](', '**a', 'https://', '|', '\n- '])
    parseMessage(sign.repeat(100_000)).forEach((block) => 'words' in block && parseInline(block.words))
  assert.ok(performance.now() - began < 20_000)
})

test('words of a command are quoted, and the token is a variable', () => {
  assert.equal(quoteWord("it's $HOME"), `'it'\\''s $HOME'`)
  assert.equal(toCommand(['kubectl', 'get', 'agents', '-n', 'a b']), "kubectl get agents -n 'a b'")
  assert.equal(
    toCurl({ method: 'GET', path: '/api/runs?state=failed&limit=5' }, 'https://mesh.example'),
    `curl 'https://mesh.example/api/runs?state=failed&limit=5' -H "Authorization: Bearer $TOKEN"`,
  )
  assert.equal(
    toCurl({ method: 'POST', path: '/api/invoke', body: { input: "it's" } }, 'https://mesh.example'),
    `curl -X POST https://mesh.example/api/invoke -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{"input":"it'\\''s"}'`,
  )
})
