import type { Static } from 'typebox'
import type { Share } from '#schemas/api/sharing.ts'
import { sendApi } from '#ui/api/request-api.ts'

/** A share of the caller. */
export type ShownShare = Static<typeof Share>

/** Ends a share. */
export async function endShare({ runId, id }: ShownShare): Promise<void> {
  await sendApi({ method: 'DELETE', path: ['runs', runId, 'shares', id] })
}
