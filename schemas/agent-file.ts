import { checkValue } from './agent-file/check.ts'
import { toDocuments } from './agent-file/expand.ts'
import type { ExpandedDocument } from './agent-file/expand.ts'
import { parseSource } from './agent-file/parse.ts'
import { AgentFileError, MAX_PROBLEMS, toPointer } from './agent-file/problem.ts'
import type { LocatedProblem, Problem } from './agent-file/problem.ts'
import { LATER_FIELDS, checkRules } from './agent-file/rules.ts'
import type { AgentFile } from './agent-file/schema.ts'
import { agentFileSchema } from './generated/agent-file-schema.ts'

const MAX_DEPTH = 64

/** What `expand` makes of one agent file. */
export interface Expanded {
  documents: ExpandedDocument[]
}

/**
 * Expands the simplified agent format, given as YAML text. Pure; throws `AgentFileError`, whose problems carry
 * line and column, and the file's name in the message.
 */
export function expandAgentFile(source: string, file?: string): Expanded {
  const parsed = parseSource(source, file)
  return { documents: toDocuments(checkAgentFile(parsed.value, parsed.locate, file)) }
}

/** The same for a value that was not text; its problems carry pointers only. */
export function expandAgentConfig(config: unknown): Expanded {
  return { documents: toDocuments(checkAgentConfig(config)) }
}

/** Every problem of a config; an empty list means that it expands. */
export function findConfigProblems(config: unknown): LocatedProblem[] {
  return findProblems(config).map(toPlain)
}

/** Checks a value without expanding it; throws `AgentFileError`. */
export function checkAgentConfig(config: unknown): AgentFile {
  return checkAgentFile(config, toPlain)
}

function checkAgentFile(value: unknown, locate: (problem: Problem) => LocatedProblem, file?: string): AgentFile {
  const problems = findProblems(value)
  if (problems.length > 0) throw new AgentFileError(problems.map(locate), file)
  // The checks above are the proof: the schema is generated from the very type that is asserted here.
  return value as AgentFile
}

function findProblems(value: unknown): Problem[] {
  if (depthOf(value) > MAX_DEPTH) {
    return [{ path: [], message: `must not be nested deeper than ${MAX_DEPTH} levels` }]
  }
  const later = laterFields(value)
  const shape = checkValue(agentFileSchema, value)
    .filter((problem) => !later.some((field) => field === problem.path[0]))
    .take(MAX_PROBLEMS)
    .toArray()
  const notYet = later.map((field) => ({ path: [field], message: `${field} is not yet supported` }))
  if (notYet.length > 0 || shape.length > 0) return [...notYet, ...shape]
  return checkRules(value as AgentFile).slice(0, MAX_PROBLEMS)
}

function laterFields(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return LATER_FIELDS.filter((field) => Object.hasOwn(value, field))
}

// Counts only as far as it must, so that a value from JSON.parse cannot exhaust the stack here.
function depthOf(value: unknown, depth = 0): number {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return depth
  return Object.values(value).reduce<number>((deepest, child) => Math.max(deepest, depthOf(child, depth + 1)), depth)
}

function toPlain({ path, message }: Problem): LocatedProblem {
  return { pointer: toPointer(path), message }
}
