import { checkValue } from './check-schema.ts'
import { AgentFileError, MAX_PROBLEMS, pointerOf } from './problem.ts'
import type { LocatedProblem, FileProblem } from './problem.ts'
import { checkRules, findLater } from './check-rules.ts'
import type { AgentFile } from './schema.ts'
import { agentFileSchema } from '../generated/agent-file-schema.ts'

const MAX_DEPTH = 64

const KUBERNETES_OBJECT = 'this is a Kubernetes object already: POST it to /api/agents, or apply it with kubectl'

/** True for a Kubernetes object: the simplified format has neither `apiVersion` nor `kind`. */
export function isKubernetesObject(value: unknown): value is { readonly apiVersion: unknown; readonly kind: unknown } {
  return (
    typeof value === 'object' && value !== null && Object.hasOwn(value, 'apiVersion') && Object.hasOwn(value, 'kind')
  )
}

/** Returns all problems of a config; without problems it can be expanded. */
export function findConfigProblems(config: unknown): LocatedProblem[] {
  return findProblems(config).map(toPlain)
}

/** Checks a value without expanding it; throws `AgentFileError`. */
export function checkAgentConfig(config: unknown): AgentFile {
  return checkAgentFile(config, toPlain)
}

/** Checks a value; throws `AgentFileError` with the place of each problem. */
export function checkAgentFile(
  value: unknown,
  locate: (problem: FileProblem) => LocatedProblem,
  file?: string,
): AgentFile {
  const problems = findProblems(value)
  if (problems.length > 0) throw new AgentFileError(problems.map(locate), file)
  // The checks above justify the assertion: the schema is generated from the asserted type.
  return value as AgentFile
}

function findProblems(value: unknown): FileProblem[] {
  if (depthOf(value) > MAX_DEPTH) {
    return [{ path: [], message: `must not be nested deeper than ${MAX_DEPTH} levels` }]
  }
  if (isKubernetesObject(value)) return [{ path: ['kind'], message: KUBERNETES_OBJECT }]
  const later = typeof value === 'object' && value !== null ? findLater(value) : []
  const shape = checkValue(agentFileSchema, value)
    .filter((problem) => !later.some(({ path }) => path[0] === problem.path[0]))
    .take(MAX_PROBLEMS)
    .toArray()
  if (later.length > 0 || shape.length > 0) return [...later, ...shape]
  return checkRules(value as AgentFile).slice(0, MAX_PROBLEMS)
}

// Stops at the limit, so that a deep value cannot exhaust the stack.
function depthOf(value: unknown, depth = 0): number {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return depth
  return Object.values(value).reduce<number>((deepest, child) => Math.max(deepest, depthOf(child, depth + 1)), depth)
}

function toPlain({ path, message }: FileProblem): LocatedProblem {
  return { pointer: pointerOf(path), message }
}
