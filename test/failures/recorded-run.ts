import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { fetch, post } from '#launcher/testdata/launch.ts'
import type { LaunchedProcess } from '#launcher/testdata/launch.ts'
import type { Fixture } from '#schemas/runs/fixture.ts'

/** A recorded run that its agent works on until it is ended. */
export interface RecordedRun {
  readonly id: string
  /** Resolves when the launcher has given up a part of its recording. */
  partIsLost(): Promise<void>
  end(): Promise<void>
  /** Its recording as the state role shows it, or undefined. */
  recording(): Promise<Pick<Fixture, 'complete' | 'problems'> | undefined>
}

/** The run to start, and where its recording is read. */
export interface RecordedRunOptions {
  /** Headers of a queued run. */
  readonly headers: Readonly<Record<string, string>>
  readonly stateUrl: string
  /** Token of a user who may read recordings. */
  readonly bearer: string
}

/** Starts a queued run at a launcher. */
export async function startRecordedRun(
  launcher: LaunchedProcess,
  { headers, stateUrl, bearer }: RecordedRunOptions,
): Promise<RecordedRun> {
  const id = headers['x-mesh-run-id'] ?? ''
  const { status, body } = await post(`${launcher.url}/invoke`, { input: { do: 'deaf' } }, { ...headers })
  assert.equal(status, 202, JSON.stringify(body))
  // An agent that does not know the run cannot confirm its end, and is replaced.
  while (!launcher.notes().some((note) => note.startsWith(`invoke ${id} `))) await pause(20)
  return {
    id,
    partIsLost: async () => {
      await launcher.line(({ msg, runId }) => msg === 'part of a recording was not stored' && runId === id)
    },
    end: async () => {
      await post(`${launcher.url}/runs/${id}/cancel`, undefined, { ...headers })
    },
    recording: async () => {
      const url = `${stateUrl}/recording/runs/${id}/fixture`
      const answer = await fetch(url, { headers: { authorization: `Bearer ${bearer}` } })
      return answer.status === 200 ? ((await answer.json()) as Fixture) : undefined
    },
  }
}
