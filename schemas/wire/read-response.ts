import { MalformedValue } from './malformed-value.ts'
import { problem } from './problem.ts'
import type { StateProblem } from './problem.ts'
import type { Schema } from './schema.ts'
import type { StatePath } from './state-path.ts'

/** A response of the state role as it arrived. */
export interface ReceivedResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly bytes: Buffer
}

/** A response of the state role, read in the form of its path. */
export interface PathResponse<Response> extends ReceivedResponse {
  /** Undefined unless the status is that of success and the body has the form of the path. Parsed when it is read. */
  readonly value: Response | undefined
  /** Of an error; no fields for a body that is not problem+json. */
  readonly problem: StateProblem
}

/** Reads a response in the form of its path. */
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
