import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { parseYamlText } from '#core/config/yaml-file.ts'
import { MAX_DEPTH, parseJson } from '#core/http/input/body.ts'
import { createCursors } from '#core/database/cursors.ts'
import { testKeyring } from '#core/http/testing/build-server.ts'
import { parseSource } from '#schemas/agent-file/parse.ts'
import { threadMs } from '#test/harness/thread-time.ts'

const numRuns = Number(process.env.MESH_PROPERTY_RUNS ?? 200)

/** How deep a value nests: a scalar 0, an empty list 1. */
function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}

const refused = (code: string) => ({ name: 'Fail', code })

test('C1: a cursor with any character changed, added or left out, of another list, key or filter, is refused', () => {
  const keys = testKeyring()
  const cursors = createCursors(keys, 'GET /runs')
  const strangers = [createCursors(keys, 'GET /audit'), createCursors(testKeyring(), 'GET /runs')]
  const alphabet = 'ABCabc019-_.=%~'
  const position = fc.array(fc.oneof(fc.string(), fc.integer(), fc.constant(null)), { maxLength: 3 })
  const filter = fc.dictionary(
    fc.constantFrom('namespace', 'state', 'agent', 'labelSelector'),
    fc.string({ maxLength: 8 }),
  )
  fc.assert(
    fc.property(position, filter, filter, fc.constantFrom(...alphabet), (key, bound, other, char) => {
      const cursor = cursors.seal(key, bound)
      assert.deepEqual(cursors.open(cursor, bound), key)
      const same = JSON.stringify(bound) === JSON.stringify(other)
      if (!same) assert.throws(() => cursors.open(cursor, other), refused('invalid_cursor'))
      for (const stranger of strangers) assert.throws(() => stranger.open(cursor, bound), refused('invalid_cursor'))
      for (let at = 0; at <= cursor.length; at++) {
        const [before, after] = [cursor.slice(0, at), cursor.slice(at)]
        const changed = [
          `${before}${char}${after}`,
          `${before}${after.slice(1)}`,
          `${before}${char}${after.slice(1)}`,
          before,
        ]
        for (const one of changed)
          if (one !== cursor)
            assert.throws(() => cursors.open(one, bound), refused('invalid_cursor'), `at ${at}: ${one}`)
      }
    }),
    { numRuns: Math.ceil(numRuns / 20) },
  )
})

test('C1: a cursor holds its position and a digest, and nothing of the filter', () => {
  const cursors = createCursors(testKeyring(), 'GET /runs')
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z]{12,30}$/), (secret) => {
      const parts = cursors.seal([1], { labelSelector: secret }).split('.')
      assert.equal(parts.length, 3)
      for (const part of parts) assert.ok(!Buffer.from(part, 'base64url').toString().includes(secret))
    }),
    { numRuns },
  )
})

// Written out by hand, since JSON.stringify drops what it can: brackets in texts, escapes, white space.
const json = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'large', withCrossShrink: true },
    fc.oneof(
      fc.string().map((text) => JSON.stringify(text)),
      fc.constantFrom('1', '-0.5e3', 'null', 'true', '"[{\\"]}"', '"\\\\"'),
    ),
    fc.array(tie('value'), { maxLength: 3 }).map((items) => `[ ${items.join(' ,')}]`),
    // Of two values under one key only the last is in what is read, but both are in the text.
    fc.uniqueArray(fc.tuple(fc.string(), tie('value')), { maxLength: 3, selector: ([key]) => key }).map((pairs) => {
      const fields = pairs.map(([key, value]) => `${JSON.stringify(key)}: ${value}`)
      return `{${fields.join(',\n')}}`
    }),
  ),
})).value

test('X3: JSON is read to depth 64 and no deeper, whatever stands around the brackets', () => {
  fc.assert(
    fc.property(json, fc.array(fc.constantFrom('[', '{"[":'), { minLength: 58, maxLength: 68 }), (inner, opened) => {
      const closed = opened.toReversed().map((open) => (open === '[' ? ']' : '}'))
      const text = `${opened.join('')}${inner}${closed.join('')}`
      const value: unknown = JSON.parse(text)
      const read = (): unknown => parseJson(Buffer.from(text))
      if (JSON.stringify(value).includes('"__proto__":')) return
      if (depthOf(value) <= MAX_DEPTH) assert.deepEqual(read(), value)
      else assert.throws(read, refused('malformed_request'))
    }),
    { numRuns },
  )
})

test('X3: a key __proto__ is refused at any depth and in any spelling, and a text of that name is not', () => {
  const spelled = fc
    .array(fc.boolean(), { minLength: 9, maxLength: 9 })
    .map((marks) => [...'__proto__'].map((char, at) => (marks[at] === true ? escapeOf(char) : char)).join(''))
  fc.assert(
    fc.property(spelled, fc.array(fc.constantFrom('[', '{"a":'), { maxLength: 60 }), (key, opened) => {
      const closed = opened.toReversed().map((open) => (open === '[' ? ']' : '}'))
      const around = (inner: string): Buffer => Buffer.from(`${opened.join('')}${inner}${closed.join('')}`)
      assert.throws(() => parseJson(around(`{"${key}": {"admin": true}}`)), refused('malformed_request'))
      assert.doesNotThrow(() => parseJson(around(`{"name": "${key}"}`)))
    }),
    { numRuns },
  )
})

const escapeOf = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`

test('X3: bytes that are no UTF-8 or no JSON are refused, and the answer quotes none of them', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 60 }), (bytes) => {
      const body = Buffer.concat([Buffer.from('{"k": canary'), bytes])
      assert.throws(
        () => parseJson(body),
        (error: Error) => !error.message.includes('canary'),
      )
    }),
    { numRuns },
  )
})

const yamlName = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/)

test('X3: YAML with an anchor, an alias, a tag, a merge or a second document is refused in agent files and settings', () => {
  fc.assert(
    fc.property(yamlName, yamlName, fc.integer({ min: 0, max: 20 }), (key, anchor, indent) => {
      const pad = ' '.repeat(indent)
      const texts = [
        `${key}: &${anchor} 1\nother: *${anchor}\n`,
        `${key}: &${anchor}\n${pad} - 1\nother:\n${pad} - *${anchor}\n`,
        `{${key}: &${anchor} [1], other: [*${anchor}, *${anchor}]}`,
        `${key}: 1\n---\n${key}: 2\n`,
      ]
      // The settings are one document; an agent file leaves out empty ones.
      const emptySecond = `${key}: 1\n...\n---\n`
      assert.throws(() => parseYamlText(emptySecond, 'mesh.yaml'), { name: 'SettingsError' })
      assert.deepEqual(parseSource(emptySecond).value, { [key]: 1 })
      for (const text of texts) {
        assert.throws(() => parseSource(text), { name: 'AgentFileError' }, text)
        assert.throws(() => parseYamlText(text, 'mesh.yaml'), { name: 'SettingsError' }, text)
      }
      for (const text of [`${key}: !!js/function 1`, `${key}: !own 1`, `__proto__: {${key}: 1}`])
        assert.throws(() => parseSource(text), { name: 'AgentFileError' }, text)
      const plain = `${key}: ["*${anchor}", "&${anchor}", "--- ${anchor}"]\n`
      assert.deepEqual(parseSource(plain).value, { [key]: [`*${anchor}`, `&${anchor}`, `--- ${anchor}`] })
    }),
    { numRuns },
  )
})

test('X3: YAML nested without end is refused before it costs anything', () => {
  for (const unit of ['[', '{a: ', '- ', '? ']) {
    for (const depth of [65, 1000, 50_000]) {
      const started = threadMs()
      assert.throws(() => parseSource(unit.repeat(depth)), { name: 'AgentFileError' })
      assert.ok(threadMs() - started < 5000, `${unit} ${depth}`)
    }
  }
})
