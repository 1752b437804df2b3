import { createHash } from 'node:crypto'
import type { FieldError } from '#core/errors/domain-error.ts'
import { findProblems } from '#core/json-schema/find-problems.ts'
import { canonicalJson } from '#core/json/canonical-json.ts'
import { pointerToken } from '#schemas/values/json-pointer.ts'
import { findUnstorable } from '#schemas/values/storable-text.ts'

/** A case as it is given: JSON of bounded depth. */
export interface GivenCase {
  readonly id: string
  readonly input: unknown
  readonly expected?: unknown
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
  readonly tags?: readonly string[] | undefined
  readonly runId?: string | undefined
  readonly traceId?: string | undefined
}

/** A case to store: JSON texts in canonical form, and their digests. */
export interface PreparedCase {
  readonly id: string
  readonly digest: string
  readonly inputDigest: string
  readonly input: string
  readonly expected: string | null
  readonly metadata: string
  readonly tags: readonly string[]
  readonly runId: string | null
  readonly traceId: string | null
  readonly bytes: number
}

/** Schemas of a dataset; undefined accepts any value. */
export interface CaseSchemas {
  readonly input?: unknown
  readonly expected?: unknown
}

/** Converts a case to what is stored. */
export function prepareCase({
  id,
  input,
  expected,
  metadata = {},
  tags = [],
  runId,
  traceId,
}: GivenCase): PreparedCase {
  const sorted = [...new Set(tags)].toSorted()
  const texts = {
    input: canonicalJson(input ?? null),
    expected: expected === undefined ? null : canonicalJson(expected),
    metadata: canonicalJson(metadata),
  }
  return {
    id,
    ...texts,
    tags: sorted,
    runId: runId ?? null,
    traceId: traceId ?? null,
    digest: digestOf(documentOf(id, texts, sorted)),
    inputDigest: digestOf(texts.input),
    bytes: byteLength(texts.input) + byteLength(texts.expected ?? '') + byteLength(texts.metadata),
  }
}

// The canonical form of the whole case, joined from those of its fields.
function documentOf(id: string, texts: Pick<PreparedCase, 'input' | 'expected' | 'metadata'>, tags: readonly string[]) {
  const expected = texts.expected === null ? '' : `"expected":${texts.expected},`
  const rest = `"id":${JSON.stringify(id)},"input":${texts.input},"metadata":${texts.metadata}`
  return `{${expected}${rest},"tags":${canonicalJson(tags)}}`
}

function digestOf(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`
}

function byteLength(text: string): number {
  return Buffer.byteLength(text)
}

/** Why a prepared case cannot be stored: fields by pointer, at most 20. Its values are JSON whose form was checked. */
export function findCaseProblems(
  given: Pick<GivenCase, 'input' | 'expected' | 'metadata' | 'tags'>,
  bytes: number,
  { schemas, caseBytes }: { readonly schemas: CaseSchemas; readonly caseBytes: number },
): readonly FieldError[] {
  const { input, expected, metadata, tags } = given
  if (bytes > caseBytes)
    return [{ pointer: '', detail: `has ${bytes} bytes; ${caseBytes} is the maximum (setting datasets.caseBytes)` }]
  const whole = { input, expected, metadata, tags }
  const unstorable = findUnstorable(whole)
  if (unstorable !== undefined) return [{ pointer: unstorable, detail: 'must not contain U+0000 or a lone surrogate' }]
  const infinite = findInfinite(whole)
  if (infinite !== undefined) return [{ pointer: infinite, detail: 'is a number out of range' }]
  return [
    ...(schemas.input === undefined ? [] : findProblems({ value: input, schema: schemas.input, pointer: '/input' })),
    ...(schemas.expected === undefined || expected === undefined
      ? []
      : findProblems({ value: expected, schema: schemas.expected, pointer: '/expected' })),
  ]
}

/** Pointer of the first number that JSON cannot hold: `1e999` is read as infinite. */
export function findInfinite(value: unknown, pointer = ''): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : pointer
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, child] of Object.entries(value)) {
    const found = findInfinite(child, `${pointer}/${pointerToken(key)}`)
    if (found !== undefined) return found
  }
  return undefined
}
