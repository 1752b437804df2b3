import { pointerToken } from '../values/json-pointer.ts'

/** Maximum number of problems in a response. */
export const MAX_PROBLEMS = 20

/** Maximum length of one step in a pointer: a key can be as long as the file. */
const MAX_STEP = 128

/** Steps from the root of a document to a value. */
export type Path = readonly (string | number)[]

/** A problem of a value; `path` leads to the value, or to the key for an unknown field. */
export interface FileProblem {
  path: Path
  message: string
}

/** A problem with its place: line and column start at 1 and are absent for input that was not parsed from text. */
export interface LocatedProblem {
  /** RFC 6901 pointer. */
  pointer: string
  message: string
  line?: number
  column?: number
}

/** An agent file that cannot be used; `problems` has every problem, `message` the first one. */
export class AgentFileError extends Error {
  readonly file: string | undefined
  readonly problems: readonly LocatedProblem[]

  constructor(problems: readonly LocatedProblem[], file?: string) {
    super(problems.map((problem) => formatProblem(problem, file)).join('\n'))
    this.name = 'AgentFileError'
    this.file = file
    this.problems = problems
  }
}

/** `agent.yaml:3:1: /model/route: must be a string`, the format that editors and terminals turn into links. */
export function formatProblem(problem: LocatedProblem, file?: string): string {
  const place = [file, problem.line, problem.column].filter((part) => part !== undefined).join(':')
  const parts = [place, problem.pointer, problem.message].filter((part) => part !== '')
  return parts.join(': ')
}

/** The RFC 6901 pointer of a path; a step above 128 characters is truncated and ends with an ellipsis. */
export function pointerOf(path: Path): string {
  return path.map((step) => `/${pointerToken(shorten(String(step)))}`).join('')
}

/** The steps of an RFC 6901 pointer. */
export function pathOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function shorten(step: string): string {
  return step.length > MAX_STEP ? `${step.slice(0, MAX_STEP)}…` : step
}
