import { CliProblem } from './cli-problem.ts'

/** A response of the API that is an error. */
export class ApiProblem extends CliProblem {
  readonly status: number
  constructor(status: number, problem: string, hint?: string) {
    super(problem, hint)
    this.status = status
  }
}

/** Whether the API responded with this status. */
export function isApiStatus(error: unknown, status: number): boolean {
  return error instanceof ApiProblem && error.status === status
}
