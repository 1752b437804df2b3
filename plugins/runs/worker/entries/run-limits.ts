import type { Static } from 'typebox'
import type { LauncherEntry } from '#schemas/runs/run.ts'
import type { runsSettings } from '../../contract/settings.ts'
import { AgentFault } from './agent-fault.ts'

/** Limits of one run. A run above a limit fails with a message that names the setting. */
export type RunLimits = Pick<
  Static<typeof runsSettings>,
  'runEntryBytes' | 'runEntries' | 'runDeltaBytes' | 'runJournalBytes'
>

/** Counts the entries and bytes of one attempt. */
export interface LimitMeter {
  /** Throws `AgentFault` when the entry exceeds a limit. */
  count(entry: LauncherEntry, bytes: number): void
}

/** Creates the meter of an attempt. `before` has the counts of earlier attempts of the run. */
export function createLimitMeter(
  limits: RunLimits,
  before: { readonly storedBytes: number; readonly entries: number },
): LimitMeter {
  let { storedBytes, entries } = before
  let deltaBytes = 0
  return {
    count({ n }, bytes) {
      if (bytes > limits.runEntryBytes) throw exceeded('runEntryBytes', limits)
      if (n === undefined) deltaBytes += bytes
      else {
        entries++
        storedBytes += bytes
      }
      if (deltaBytes > limits.runDeltaBytes) throw exceeded('runDeltaBytes', limits)
      if (entries > limits.runEntries) throw exceeded('runEntries', limits)
      if (storedBytes > limits.runJournalBytes) throw exceeded('runJournalBytes', limits)
    },
  }
}

/** The fault of a run above a limit. */
export function exceeded(setting: keyof RunLimits, limits: RunLimits): AgentFault {
  return new AgentFault(
    'limit',
    `The run exceeded the limit of ${limits[setting]} ${what[setting]} (setting runs.${setting}).`,
  )
}

const what: Readonly<Record<keyof RunLimits, string>> = {
  runEntryBytes: 'bytes in one entry',
  runEntries: 'journal entries',
  runDeltaBytes: 'bytes of deltas',
  runJournalBytes: 'stored bytes',
}
