import type { Static, TSchema } from 'typebox'
import { Fail } from '#core/errors/domain-error.ts'
import type { FieldError } from '#core/errors/domain-error.ts'
import { isObject } from '#core/json/is-object.ts'
import { parseLabel } from '#core/kube/names.ts'
import type { DnsLabel } from '#core/kube/names.ts'
import { checkOf } from '#core/validation/validate.ts'
import { parseSources } from '#schemas/agent-file/parse.ts'
import { AgentFileError } from '#schemas/agent-file/problem.ts'
import { FlatPrompt, PROMPT_KIND, PromptContentInput, PromptDocument, PromptLabelsInput } from '#schemas/api/prompts.ts'
import type { PromptContent } from '#schemas/api/prompts.ts'
import { promptErrors } from '../contract/errors.ts'
import { contentProblems } from './check-content.ts'

/** Content that a request sent, and labels to move to its version. */
export interface SentContent {
  readonly content: PromptContent
  readonly labels: readonly string[]
}

/** A new version with the prompt that it belongs to. */
export interface SentPrompt extends SentContent {
  readonly namespace: DnsLabel
  readonly name: DnsLabel
}

/** Labels that a request moves; `latest` means the latest version. */
export type SentMoves = ReadonlyMap<string, number | null | 'latest'>

const LATEST = 'latest'
const checks = new Map<TSchema, ReturnType<typeof checkOf>>()
const contentFields = ['type', 'text', 'messages', 'variables', 'config', 'tags', 'commitMessage', 'kind', 'spec']

/** The one document of a YAML text. Throws `invalid_body` with line and column. */
export function readYaml(text: string): unknown {
  try {
    const documents = parseSources(text).map(({ value }) => value)
    for (const one of documents) refuseKind(one)
    if (documents.length === 1) return documents[0]
    throw invalid([{ pointer: '', detail: `must be one PromptVersion, and has ${documents.length} documents` }])
  } catch (error) {
    if (!(error instanceof AgentFileError)) throw error
    throw invalid(
      error.problems.map(({ pointer, message, line, column }) => ({
        pointer,
        detail: line === undefined ? message : `${message} (line ${line}, column ${column ?? 1})`,
      })),
    )
  }
}

/** Reads a document or the flat form. Throws `not_a_prompt` for another kind, and `invalid_body`. */
export function readNewPrompt(body: unknown): SentPrompt {
  refuseKind(body)
  const isDocument = isObject(body) && Object.hasOwn(body, 'kind')
  const given = isDocument ? checked(PromptDocument, body) : undefined
  const flat = given === undefined ? checked(FlatPrompt, body) : undefined
  const at = flat ?? given?.metadata
  const base = isDocument ? '/metadata' : ''
  return {
    namespace: parseLabel(`${base}/namespace`, at?.namespace || 'default'),
    name: parseLabel(`${base}/name`, at?.name ?? ''),
    ...toContent(flat ?? given?.spec ?? {}, isDocument ? '/spec' : ''),
  }
}

/** The prompt of a path. */
interface PromptPath {
  readonly namespace: string
  readonly name: string
}

/** Reads what a PUT changes: new content, or with only `labels` the labels to move. */
export function readChange(body: unknown, path: PromptPath): SentContent | { readonly moves: SentMoves } {
  refuseKind(body)
  if (!isObject(body) || !contentFields.some((field) => Object.hasOwn(body, field))) return { moves: readMoves(body) }
  if (Object.hasOwn(body, 'kind')) {
    const { metadata, spec } = checked(PromptDocument, body)
    refuseOther(metadata, path, '/metadata')
    return toContent(spec, '/spec')
  }
  const flat = checked(PromptContentInput, body)
  refuseOther(flat, path, '')
  return toContent(flat, '')
}

/** Content of the spec of a document whose names are known. */
export function readSpec(spec: unknown): SentContent {
  return toContent(checked(PromptDocument.properties.spec, spec, '/spec'), '/spec')
}

function readMoves(body: unknown): SentMoves {
  const { labels, version = LATEST } = checked(PromptLabelsInput, body)
  if (!Array.isArray(labels) && version !== LATEST)
    throw invalid([{ pointer: '/version', detail: 'is for a list of labels: the map of labels has versions' }])
  const moves = Array.isArray(labels) ? labels.map((label) => [label, version] as const) : Object.entries(labels)
  refuseLatest(moves.map(([label]) => label))
  return new Map<string, number | null | 'latest'>(moves)
}

type WrittenFields = PromptContent & { readonly type?: string | undefined; readonly labels?: readonly string[] }

function toContent(written: WrittenFields, base: string): SentContent {
  const problems = contentProblems(written)
  if (problems.length > 0) throw invalid(problems.map((one) => ({ ...one, pointer: `${base}${one.pointer}` })))
  const { text, messages, variables, config, tags, commitMessage, labels = [] } = written
  refuseLatest(labels, base)
  const fields = { text, messages, variables, config, tags, commitMessage }
  const content = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
  return { content: content as PromptContent, labels }
}

function refuseLatest(labels: readonly string[], base = ''): void {
  if (labels.includes(LATEST))
    throw invalid([{ pointer: `${base}/labels`, detail: 'latest is reserved: it is always the newest version' }])
}

function refuseOther(given: { readonly namespace?: string; readonly name?: string }, path: PromptPath, base: string) {
  for (const field of ['namespace', 'name'] as const)
    if ((given[field] ?? path[field]) !== path[field])
      throw invalid([{ pointer: `${base}/${field}`, detail: `differs from the path: ${path[field]}` }])
}

// Another kind has routes of its own, so it is named before any field is judged.
function refuseKind(body: unknown): void {
  const kind = isObject(body) ? body['kind'] : undefined
  if (typeof kind !== 'string' || kind === PROMPT_KIND) return
  const where = kind === 'AgentDeployment' ? ' Send it to POST /api/agents.' : ''
  throw new Fail(promptErrors.not_a_prompt, `The document is of the kind ${kind.slice(0, 63)}.${where}`, {
    errors: [{ pointer: '/kind', detail: `must be ${PROMPT_KIND}` }],
  })
}

function checked<S extends TSchema>(schema: S, value: unknown, base = ''): Static<S> {
  const check = checks.get(schema) ?? checkOf(schema)
  checks.set(schema, check)
  const errors = check(value)
  if (errors.length > 0) throw invalid(errors.map((one) => ({ ...one, pointer: `${base}${one.pointer}` })))
  // Ensured by the check above.
  return value as Static<S>
}

function invalid(errors: readonly FieldError[]): Fail {
  return new Fail('invalid_body', undefined, { errors })
}
