import type { Readable } from 'node:stream'
import { Agent, request } from 'undici'
import { Fail } from '#core/errors/domain-error.ts'
import { requestTarget } from '#schemas/wire/state-path.ts'
import { readFixture } from './contract/wire.ts'
import { recordingErrors } from './contract/errors.ts'

/** Reads a recording for a caller. */
export type FixtureClient = (of: {
  readonly runId: string
  readonly bearer: string
  readonly signal: AbortSignal
}) => Promise<Readable>

/** Time without a byte after which the state role counts as unavailable; reading a part from the object store takes at most ten seconds. */
const SILENCE_MS = 30_000

/**
 * Creates the client of the state role for the BFF. It sends the caller's bearer token, and the state role reviews the caller again (K1). Throws
 * `no_fixture`, `not_wired` without an object store, `recording_unavailable`.
 */
export function createFixtureClient(stateUrl: string): FixtureClient {
  let dispatcher: Agent | undefined
  return async ({ runId, bearer, signal }) => {
    dispatcher ??= new Agent({ allowH2: false, connections: 32, headersTimeout: SILENCE_MS, bodyTimeout: SILENCE_MS })
    const { statusCode, body } = await request(new URL(requestTarget(readFixture, { id: runId }), stateUrl), {
      dispatcher,
      headers: { authorization: `Bearer ${bearer}`, accept: 'application/json' },
      signal,
    }).catch((error: unknown) => {
      throw new Fail(recordingErrors.recording_unavailable, undefined, { cause: error })
    })
    if (statusCode === 200) return body
    throw toFail(statusCode, await body.text().catch(() => ''))
  }
}

function toFail(status: number, text: string): Fail {
  if (status === 501) return new Fail('not_wired', 'No object store is configured (OBJECT_STORE_ADDR).')
  // The review succeeded just before: the right or the run was removed meanwhile.
  if (status === 401) return new Fail('unauthenticated')
  if (status === 403) return new Fail('forbidden')
  if (status === 404) return new Fail(codeOf(text) === 'no_fixture' ? recordingErrors.no_fixture : 'not_found')
  return new Fail(recordingErrors.recording_unavailable)
}

function codeOf(text: string): unknown {
  try {
    return (JSON.parse(text) as { code?: unknown } | null)?.code
  } catch {
    return undefined
  }
}
