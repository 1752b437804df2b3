import { Fail } from '#core/errors/domain-error.ts'
import { ObjectStoreError } from '#core/objects/object-store.ts'
import { recordingErrors } from '../errors.ts'

/** The error of a failed call to the object store. */
export function toRecordingFailure(error: unknown): unknown {
  if (!(error instanceof ObjectStoreError)) return error
  return new Fail(recordingErrors.recording_unavailable, undefined, { cause: error })
}
