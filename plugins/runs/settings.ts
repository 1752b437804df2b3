import { Type } from 'typebox'

const KIB = 1024
const MIB = 1024 * KIB

/** A bound on bytes, from 64 KiB to 1 TiB. */
const bytes = (description: string, mebibytes: number, most = 1024 * 1024) =>
  Type.Integer({ minimum: 64 * KIB, maximum: most * MIB, default: mebibytes * MIB, description })

/** A bound on a count. */
const count = (description: string, normal: number, maximum = 1_000_000) =>
  Type.Integer({ minimum: 1, maximum, default: normal, description })

/** Settings of the runs plugin. */
export const runsSettings = Type.Object(
  {
    workerConcurrency: Type.Integer({
      minimum: 1,
      maximum: 1000,
      default: 64,
      description: 'Concurrent runs of one worker.',
    }),
    unreachableAfter: Type.Integer({
      minimum: 1,
      maximum: 3600,
      // Below `invokeTimeout`, so that a waiting caller sees the failure.
      default: 50,
      description: 'Seconds without an address or answer of the agent after which its run fails.',
    }),
    invokeTimeout: Type.Integer({
      minimum: 1,
      maximum: 3600,
      default: 60,
      description: 'Default wait of POST /api/invoke, in seconds.',
    }),
    namespaceShare: count('Percent of the places of a worker that the runs of one namespace may take.', 75, 100),
    cancelTimeout: count(
      'Seconds that a cancelled run may take to stop before it ends without its launcher.',
      60,
      3600,
    ),
    agentTimeout: count(
      'Seconds that an agent may work on a run without a pause, whatever its launcher reports; above limits.timeout of every agent.',
      86_400,
      2_100_000,
    ),
    driveTries: count('Failed attempts without progress after which a worker ends a run.', 8, 100),
    queuedPerNamespace: count('Queued runs of one namespace; above it new ones are refused with 429.', 1000),
    queuedPerCaller: count('Queued runs of one caller in all namespaces; above it new ones are refused with 429.', 500),
    storedBytesPerNamespace: bytes('Bytes that the runs of one namespace may store before new ones are refused.', 1024),
    retentionDays: count('Days that a run is kept after its end, or while it waits for a person.', 30, 3650),
    runEntryBytes: bytes('Bytes of one entry of a launcher; a run with a larger one fails.', 16, 64),
    runEntries: count('Journal entries of one segment of a run; a run with more fails.', 100_000, 10_000_000),
    runDeltaBytes: bytes('Bytes of message and tool deltas of one attempt; a run with more fails.', 16, 1024),
    runJournalBytes: bytes('Bytes that one run may store; a run with more fails.', 64, 1024),
  },
  { additionalProperties: false },
)
