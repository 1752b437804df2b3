import { createHash } from 'node:crypto'
import { canonicalJson } from '#core/json/canonical-json.ts'
import { isObject } from '#core/json/is-object.ts'
import type { McpTool } from '#schemas/crds/mcp-server.ts'
import { findUnstorable } from '#schemas/values/storable-text.ts'
import { McpFailure } from '../client/mcp-failure.ts'
import { isPlain } from './plain-value.ts'

/** The tools of a server, and the hash that pins them (M-6). */
export interface Manifest {
  /** `sha256:` and 64 hexadecimal digits. */
  readonly digest: string
  /** Sorted by name. */
  readonly tools: readonly McpTool[]
}

const MAX_TOOLS = 256
const MAX_BYTES = 256 * 1024
const MAX_DEPTH = 32
const UNSTORABLE = 'a string has U+0000 or a lone surrogate'
const limits = { title: 256, description: 16_384 } as const
const hints = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const

/**
 * Reads the tools that a server lists. Only fields that the platform passes on are kept and hashed. Throws `McpFailure` with the first violated rule.
 */
export function readManifest(listed: readonly unknown[], host: string): Manifest {
  const refuse = (rule: string): McpFailure => new McpFailure('invalid_manifest', `Manifest of ${host}: ${rule}.`)
  if (listed.length > MAX_TOOLS) throw refuse(`more than ${MAX_TOOLS} tools`)
  const tools = listed.map((tool, index) => readTool(tool, (rule) => refuse(`tool ${index + 1}: ${rule}`)))
  const names = new Set(tools.map(({ name }) => name))
  if (names.size !== tools.length) throw refuse('two tools have the same name')
  const sorted = tools.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const text = canonicalJson(sorted)
  if (Buffer.byteLength(text) > MAX_BYTES) throw refuse(`more than ${MAX_BYTES} bytes`)
  return { digest: `sha256:${createHash('sha256').update(text).digest('hex')}`, tools: sorted }
}

type Refuse = (rule: string) => McpFailure

function readTool(tool: unknown, refuse: Refuse): McpTool {
  if (!isObject(tool)) throw refuse('not an object')
  const { name, inputSchema, outputSchema, annotations } = tool
  if (typeof name !== 'string' || !/^[A-Za-z0-9_.-]{1,128}$/.test(name))
    throw refuse('the name is not 1 to 128 of A-Z, a-z, 0-9, _, - and .')
  const read = {
    name,
    ...textOf(tool, 'title', refuse),
    ...textOf(tool, 'description', refuse),
    inputSchema: schemaOf(inputSchema, 'inputSchema', refuse),
    ...(outputSchema === undefined ? {} : { outputSchema: schemaOf(outputSchema, 'outputSchema', refuse) }),
    ...(isObject(annotations) ? { annotations: annotationsOf(annotations, refuse) } : {}),
  }
  if (findUnstorable(read) !== undefined) throw refuse(UNSTORABLE)
  return read
}

function textOf<F extends keyof typeof limits>(
  from: Readonly<Record<string, unknown>>,
  field: F,
  refuse: Refuse,
): { [K in F]?: string } {
  const value = from[field]
  if (value === undefined) return {}
  if (typeof value !== 'string' || value.length > limits[field])
    throw refuse(`${field} is not a string of at most ${limits[field]} characters`)
  return { [field]: value } as { [K in F]?: string }
}

function schemaOf(schema: unknown, field: string, refuse: Refuse): string {
  if (!isObject(schema) || schema.type !== 'object') throw refuse(`${field} is not a JSON Schema of an object`)
  if (!isPlain(schema, MAX_DEPTH))
    throw refuse(`${field} nests deeper than ${MAX_DEPTH} levels, or has a key or number that JSON stores cannot keep`)
  if (findUnstorable(schema) !== undefined) throw refuse(UNSTORABLE)
  return canonicalJson(schema)
}

function annotationsOf(
  annotations: Readonly<Record<string, unknown>>,
  refuse: Refuse,
): NonNullable<McpTool['annotations']> {
  const given = hints.filter((hint) => typeof annotations[hint] === 'boolean')
  return {
    ...textOf(annotations, 'title', refuse),
    ...Object.fromEntries(given.map((hint) => [hint, annotations[hint]])),
  }
}

/** A tool that differs between two manifests. */
export interface ToolChange {
  readonly change: 'added' | 'changed' | 'removed'
  readonly tool: string
  readonly before?: McpTool
  readonly after?: McpTool
}

/** Differences from the accepted tools: those that are offered first, by name. */
export function diffTools(accepted: readonly McpTool[], offered: readonly McpTool[]): readonly ToolChange[] {
  const known = new Map(accepted.map((tool) => [tool.name, tool]))
  const names = new Set(offered.map(({ name }) => name))
  const changed = offered.flatMap((after): ToolChange[] => {
    const before = known.get(after.name)
    if (before === undefined) return [{ change: 'added', tool: after.name, after }]
    return isSameTool(before, after) ? [] : [{ change: 'changed', tool: after.name, before, after }]
  })
  const removed = accepted.filter(({ name }) => !names.has(name))
  return [...changed, ...removed.map((before): ToolChange => ({ change: 'removed', tool: before.name, before }))]
}

/** Whether two descriptions of a tool are equal in every field that the platform passes on. */
export function isSameTool(one: McpTool, other: McpTool): boolean {
  return canonicalJson(one) === canonicalJson(other)
}

/** Differences from the accepted tools, by name: `added x`, `changed y`, `removed z`. */
export function compareTools(accepted: readonly McpTool[], offered: readonly McpTool[]): string[] {
  return diffTools(accepted, offered).map(({ change, tool }) => `${change} ${tool}`)
}
