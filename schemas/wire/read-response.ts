import { MalformedValue } from './malformed-value.ts'
import { problem } from './problem.ts'
import type { StateProblem } from './problem.ts'
import type { Schema } from './schema.ts'
import type { StatePath } from './state-path.ts'

/** A response of the state role before it is parsed. */
export interface ReceivedResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly bytes: Buffer
}

/** A response of the state role, parsed according to its path. */
export interface PathResponse<Response> extends ReceivedResponse {
  /** Undefined unless the status is the path's success status and the body matches its schema. Parsed on access. */
  readonly value: Response | undefined
  /** Problem of an error response; without fields if the body is not problem+json. */
  readonly problem: StateProblem
}

/** Reads a response according to its path. */
export function readResponse<Response>(
  path: Pick<StatePath<string, unknown, Response>, 'status' | 'response'>,
  received: ReceivedResponse,
): PathResponse<Response> {
  const { status, bytes } = received
  return {
    ...received,
    get value() {
      return status === path.status ? read(path.response, bytes) : undefined
    },
    get problem() {
      return (status < 400 ? undefined : read(problem, bytes)) ?? {}
    },
  }
}

function read<T>(schema: Schema<T>, bytes: Buffer): T | undefined {
  try {
    return schema.parse(bytes.length === 0 ? undefined : JSON.parse(bytes.toString('utf8')), '')
  } catch (error) {
    if (error instanceof MalformedValue || error instanceof SyntaxError) return undefined
    throw error
  }
}
