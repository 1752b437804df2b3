import { Type } from 'typebox'

const KIB = 1024
const MIB = 1024 * KIB

/** A limit in bytes, from 64 KiB to 1 TiB. */
const bytes = (description: string, mebibytes: number, most = 1024 * 1024) =>
  Type.Integer({ minimum: 64 * KIB, maximum: most * MIB, default: mebibytes * MIB, description })

/** A limit on a count. */
const count = (description: string, normal: number, maximum = 1_000_000) =>
  Type.Integer({ minimum: 1, maximum, default: normal, description })

/** Settings of the runs plugin. */
export const runsSettings = Type.Object(
  {
    workerConcurrency: Type.Integer({
      minimum: 1,
      maximum: 1000,
      default: 64,
      description: 'Maximum number of concurrent runs per worker.',
    }),
    unreachableAfter: Type.Integer({
      minimum: 1,
      maximum: 3600,
      // Below `invokeTimeout`, so that a waiting caller sees the failure.
      default: 50,
      description: 'Seconds without a reachable agent before its run fails.',
    }),
    invokeTimeout: Type.Integer({
      minimum: 1,
      maximum: 3600,
      default: 60,
      description: 'Default timeout of POST /api/invoke in seconds.',
    }),
    namespaceShare: count('Percentage of workerConcurrency available to one namespace.', 75, 100),
    cancelTimeout: count('Seconds that a cancelled run may take to stop before a worker ends it.', 60, 3600),
    agentTimeout: count(
      'Maximum seconds of a run segment, whatever its launcher reports; must exceed limits.timeout of every agent.',
      86_400,
      2_100_000,
    ),
    maxAttempts: count('Failed attempts without progress after which a worker ends a run.', 8, 100),
    queuedPerNamespace: count('Maximum number of queued runs per namespace; further runs are refused with 429.', 1000),
    queuedPerCaller: count(
      'Maximum number of queued runs per caller in all namespaces; further runs are refused with 429.',
      500,
    ),
    storedBytesPerNamespace: bytes(
      'Maximum bytes stored by the runs of one namespace; further runs are refused with 429.',
      1024,
    ),
    retentionDays: count('Days that a run is kept after its end, or while it is paused.', 30, 3650),
    runEntryBytes: bytes('Maximum bytes of one journal entry; a run that exceeds it fails.', 16, 64),
    runEntries: count(
      'Maximum number of journal entries per run segment; a run that exceeds it fails.',
      100_000,
      10_000_000,
    ),
    runDeltaBytes: bytes(
      'Maximum bytes of message and tool deltas per attempt; a run that exceeds it fails.',
      16,
      1024,
    ),
    runJournalBytes: bytes('Maximum bytes stored per run; a run that exceeds it fails.', 64, 1024),
  },
  { additionalProperties: false },
)
