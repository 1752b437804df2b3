import { Type } from 'typebox'
import type { Static } from 'typebox'
import { FIXTURE_FORMAT, fixtureChannels } from '#schemas/runs/fixture-format.ts'
import { Fixture } from '#schemas/runs/fixture.ts'
import type { FixturePart } from '#schemas/runs/fixture.ts'
import { mergeFixture } from './merge.ts'
import type { MergedCall } from './merge.ts'

/** A recording of several runs, as `dev --record` writes it: the runs are attempts, each with its input. */
export const SessionFixture = Type.Object({
  ...Fixture.properties,
  inputs: Type.Optional(
    Type.Array(
      Type.Object({ epoch: Type.Integer({ minimum: 0 }), input: Type.Unknown() }, { additionalProperties: false }),
    ),
  ),
})

/** See {@link SessionFixture}. */
export type SessionFixture = Static<typeof SessionFixture>

/** Adds the recording of a further run: its attempts follow those of the recording, and its calls get the id of the recording. */
export function appendRun(known: SessionFixture | undefined, run: Fixture, input: unknown): SessionFixture {
  const shift = Math.max(0, ...epochsOf(known))
  const first = Math.min(...epochsOf(run), Number.MAX_SAFE_INTEGER)
  const moved = toParts(run).map((part) => ({ ...part, epoch: part.epoch - first + 1 + shift }))
  const runId = known?.runId ?? run.runId
  const parts = [...(known === undefined ? [] : toParts(known)), ...moved].map((part) => ({ ...part, runId }))
  const inputs = [...(known?.inputs ?? []), { epoch: shift + 1, input }]
  return { ...mergeFixture(runId, parts), inputs }
}

// A merged recording has no ends of attempts: a complete one gets them again, and one that is not stays so.
function toParts(fixture: Fixture): readonly FixturePart[] {
  const calls = fixtureChannels.flatMap((channel) => fixture[channel].map(withoutHash))
  if (!fixture.complete) return calls
  const { runId, redact } = fixture
  const ends = epochsOf(fixture).map((epoch): FixturePart => {
    const counted = (channel: 'model' | 'tool'): number =>
      fixture[channel].filter((call) => call.epoch === epoch).length
    const made = { model: counted('model'), tool: counted('tool') }
    return { format: FIXTURE_FORMAT, runId, epoch, channel: 'end', state: 'succeeded', calls: made, redact }
  })
  return [...calls, ...ends]
}

function epochsOf(fixture: Fixture | undefined): readonly number[] {
  const calls = fixture === undefined ? [] : fixtureChannels.flatMap((channel) => [...fixture[channel]])
  return [...new Set(calls.map(({ epoch }) => epoch))].toSorted((a, b) => a - b)
}

// The merge computes it again.
function withoutHash(call: MergedCall): FixturePart {
  const part: Partial<MergedCall> = { ...call }
  delete (part as { hash?: string }).hash
  return part as FixturePart
}
