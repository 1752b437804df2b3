import assert from 'node:assert/strict'
import test from 'node:test'
import { Type } from 'typebox'
import { CreateRunBody, ResumeBody } from '#schemas/api/run-requests.ts'
import { bodyReader, parseJson } from './body.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { toProblemResponse } from '../problem/problem.ts'

const KiB = 1024

/** JSON of about this size, made of equal parts. */
function fill(bytes: number, part: (index: number) => string, [open, close]: readonly [string, string]): string {
  const parts: string[] = []
  for (let size = 2, index = 0; size < bytes; index++) {
    const next = part(index)
    parts.push(next)
    size += next.length + 1
  }
  return open + parts.join(',') + close
}

const list = ['[', ']'] as const
const object = ['{', '}'] as const
const ofAgent = (rest: string): string => `{"agent":{"namespace":"a","name":"b"},${rest}}`

/** The most expensive bodies to parse, walk and validate before they are refused. */
const worst: Readonly<Record<string, (bytes: number) => string>> = {
  'unknown fields': (bytes) => fill(bytes, (index) => `"a${index}":1`, object),
  'unknown fields with long names': (bytes) => fill(bytes, (index) => `"${'~/'.repeat(400)}${index}":1`, object),
  'fields that are array indexes': (bytes) =>
    fill(bytes, (index) => `"${(index * 7_919 + 4e9) % 4294967295}":1`, object),
  'one field many times': (bytes) => fill(bytes, () => '"a":1', object),
  'unknown fields in the input': (bytes) => ofAgent(`"input":${fill(bytes, (index) => `"a${index}":1`, object)}`),
  labels: (bytes) => ofAgent(`"labels":${fill(bytes, (index) => `"a${index}":"b"`, object)}`),
  'a long label': (bytes) => ofAgent(`"labels":{"a":"${'x'.repeat(bytes)}"}`),
  'deep lists': (bytes) => fill(bytes, () => '['.repeat(60) + ']'.repeat(60), list),
  'empty lists': (bytes) => fill(bytes, () => '[]', list),
  'empty objects': (bytes) => fill(bytes, () => '{}', list),
  numbers: (bytes) => fill(bytes, () => '1e308', list),
  escapes: (bytes) => `"${'\\u0041'.repeat(bytes / 6)}"`,
  'escaped fields': (bytes) => fill(bytes, (index) => `"\\u0061${index}":1`, object),
  backslashes: (bytes) => `"${'\\\\'.repeat(bytes / 2)}"`,
  digits: (bytes) => '1'.repeat(bytes),
  brackets: (bytes) => '['.repeat(bytes),
}

const schemas = {
  'a run': CreateRunBody,
  'a resume': ResumeBody,
  anything: Type.Unknown(),
  texts: Type.Object({ a: Type.Array(Type.String()) }),
}

interface Cost {
  /** CPU time of this thread in milliseconds, the best round. */
  readonly ms: number
  /** The same of `JSON.parse` alone. */
  readonly parseMs: number
  readonly answer: number
}

function cpuOf(work: () => unknown): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}

/** The best of three rounds, or of up to 20 while it is above `most`. */
function costOf(read: (body: unknown) => unknown, body: Buffer, most: number): Cost {
  let [ms, parseMs, answer] = [Infinity, Infinity, 0]
  const text = body.toString()
  for (let round = 0; round < 3 || (ms >= most && round < 20); round++) {
    let refused: unknown
    const attempt = (parse: () => unknown) => {
      try {
        parse()
      } catch (error) {
        refused = error
      }
    }
    parseMs = Math.min(
      parseMs,
      cpuOf(() => attempt(() => JSON.parse(text))),
    )
    refused = undefined
    ms = Math.min(
      ms,
      cpuOf(() => attempt(() => read(parseJson(body)))),
    )
    if (refused === undefined) continue
    assert.ok(refused instanceof Fail, String(refused))
    const { problem } = toProblemResponse(refused)
    assert.ok((problem.errors ?? []).length <= 20)
    answer = JSON.stringify(problem).length
  }
  return { ms, parseMs, answer }
}

// A processor that is shared with other work takes several times as long for the same instructions, also for those of JSON.parse.
const bound = (quietMs: number, { parseMs }: Cost): number => Math.max(quietMs, 8 * parseMs)

for (const [name, schema] of Object.entries(schemas))
  test(`F2: 1 MiB for ${name} is read within 200 ms, and its cost grows with its size`, () => {
    const read = bodyReader(schema)
    for (const [what, make] of Object.entries(worst)) {
      const cost = (bytes: number, limit: number) => costOf(read, Buffer.from(make(bytes)), limit)
      const small = cost(64 * KiB, Infinity)
      const large = cost(512 * KiB, 10 * Math.max(small.ms, 10))
      const most = cost(1024 * KiB, 200)
      // Below 10 ms caches and garbage collection dominate. A quadratic cost would be a factor of 64.
      assert.ok(
        large.ms <= bound(10 * Math.max(small.ms, 10), large),
        `${what}: ${small.ms} ms, 8 times the size ${large.ms} ms`,
      )
      assert.ok(most.ms < bound(200, most), `${what}: ${most.ms} ms`)
      assert.ok(most.answer <= 256 * KiB, `${what}: answer of ${most.answer}`)
    }
  })

test('F2: a crowded body is refused by its number of fields', () => {
  const problemsOf = (body: unknown): readonly string[] => {
    try {
      bodyReader(CreateRunBody)(body)
    } catch (error) {
      return error instanceof Fail ? error.errors.map(({ pointer, detail }) => `${pointer} ${detail}`) : []
    }
    return []
  }
  const agent = { namespace: 'a', name: 'b' }
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`f${index}`, 'x']))
  const first = Array.from({ length: 20 }, (_, index) => `f${index} is not a known field`)
  assert.deepEqual(
    problemsOf({ agent, ...many }),
    first.map((text) => `/${text}`),
  )
  assert.deepEqual(
    problemsOf({ agent: { ...agent, ...many } }),
    first.map((text) => `/agent/${text}`),
  )
  assert.deepEqual(problemsOf({ agent, labels: many }), ['/labels must not have more than 32 properties'])
  assert.deepEqual(problemsOf({ agent, input: many }), [])
})

test('F2: an error answer holds at most 20 problems and 256 KiB, whatever made it', () => {
  const errors = Array.from({ length: 1_000 }, (_, index) => ({
    pointer: `/${index}${'\u0001'.repeat(2_000)}`,
    detail: '\u0001'.repeat(2_000),
  }))
  const { problem } = toProblemResponse(new Fail('invalid_body', '\u0001'.repeat(1_000_000), { errors }))
  assert.equal(problem.errors?.length, 20)
  assert.ok(JSON.stringify(problem).length <= 256 * KiB)
})
