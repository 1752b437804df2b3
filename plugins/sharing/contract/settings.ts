import { Type } from 'typebox'
import type { Static } from 'typebox'

const KIB = 1024
const MIB = 1024 * KIB

/** A limit on a count. */
const count = (description: string, normal: number, maximum: number) =>
  Type.Integer({ minimum: 1, maximum, default: normal, description })

/** A limit in bytes, from 64 KiB. */
const bytes = (description: string, mebibytes: number, most: number) =>
  Type.Integer({ minimum: 64 * KIB, maximum: most * MIB, default: mebibytes * MIB, description })

/** Settings of the plugin. */
export const sharingSettings = Type.Object(
  {
    publicUrl: Type.Optional(
      Type.String({
        pattern: '^https?://[^\\s/?#@]+(/[^\\s?#]*)?$',
        maxLength: 2048,
        description: 'Base URL of the API in links to shares. `npm start` sets its own. Default: links are paths.',
      }),
    ),
    snapshotBytes: bytes(
      'Maximum bytes of one share. A longer journal is cut; a run whose input and output exceed it is refused with 422.',
      4,
      32,
    ),
    sharesPerRun: count('Maximum number of shares per run; further shares are refused with 429.', 100, 10_000),
    sharesPerNamespace: count(
      'Maximum number of shares per namespace; further shares are refused with 429.',
      10_000,
      1_000_000,
    ),
    storedBytesPerNamespace: bytes(
      'Maximum bytes of all shares of a namespace; further shares are refused with 429.',
      256,
      1024 * 1024,
    ),
    readsPerMinute: count(
      'Maximum reads of shared runs per minute and address (of IPv6: /64) and replica; further reads are refused with 429.',
      600,
      1_000_000,
    ),
  },
  { additionalProperties: false },
)

/** See {@link sharingSettings}. */
export type SharingSettings = Static<typeof sharingSettings>
