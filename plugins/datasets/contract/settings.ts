import { Type } from 'typebox'
import type { Static } from 'typebox'

const most = (maximum: number, preset: number, description: string) =>
  Type.Integer({ minimum: 1, maximum, default: preset, description })

/** Settings of the plugin. */
export const datasetsSettings = Type.Object(
  {
    datasetsPerNamespace: most(100_000, 1_000, 'Maximum number of datasets per namespace.'),
    casesPerDataset: most(1_000_000, 100_000, 'Maximum number of cases per dataset, without archived ones.'),
    caseBytes: most(
      1024 * 1024,
      1024 * 1024,
      'Maximum size of a case: input, expected output and metadata as JSON, in bytes.',
    ),
    importBytes: most(
      100 * 1024 * 1024,
      32 * 1024 * 1024,
      'Maximum size of an imported CSV or NDJSON file, in bytes. It counts toward `limits.bodyBytesPerCaller`.',
    ),
    bytesPerNamespace: most(
      1024 * 1024 * 1024 * 1024,
      4 * 1024 * 1024 * 1024,
      'Maximum size of all cases of a namespace with their former contents that are pinned, in bytes.',
    ),
    labelsPerCase: most(10_000, 1_000, 'Maximum number of labels per case, with replaced ones.'),
    pinsPerDataset: most(100_000, 1_000, 'Maximum number of pins per dataset, with snapshots for evaluations.'),
    snapshotRetentionDays: Type.Integer({
      minimum: 2,
      maximum: 3_650,
      default: 30,
      description:
        'Retention of snapshots of cases without a version, in days after the last evaluation has taken them.',
    }),
    exportRetentionDays: most(365, 7, 'Retention of the files of exports, in days.'),
  },
  { additionalProperties: false },
)

/** See {@link datasetsSettings}. */
export type DatasetsSettings = Static<typeof datasetsSettings>
