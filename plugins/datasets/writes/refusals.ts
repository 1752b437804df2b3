import { Fail } from '#core/errors/domain-error.ts'
import type { FieldError } from '#core/errors/domain-error.ts'
import { datasetErrors } from '../contract/errors.ts'

/** There is no such dataset in the namespace. */
export function unknownDataset(): Fail {
  return new Fail('not_found', 'There is no dataset with that name in the namespace.')
}

/** There is no such case in the dataset. */
export function unknownCase(): Fail {
  return new Fail('not_found', 'The dataset has no case with that id.')
}

/** There is no such pin of the dataset. */
export function unknownPin(): Fail {
  return new Fail('not_found', 'The dataset has no pin with that version.')
}

/** A maximum of the dataset or its namespace is reached. */
export function quotaReached(detail: string): Fail {
  return new Fail(datasetErrors.dataset_quota_exceeded, detail)
}

/** A field of the body is refused for a reason that its schema does not express. */
export function refuseField(pointer: string, detail: string): Fail {
  return new Fail('invalid_body', `${pointer.slice(1)} ${detail}.`, { errors: [{ pointer, detail }] })
}

/** A case does not fit into its dataset. The detail names the first field. */
export function refuseCase(errors: readonly FieldError[]): Fail {
  const [first] = errors
  const field = first === undefined || first.pointer === '' ? 'The case' : first.pointer.slice(1)
  return new Fail(datasetErrors.invalid_case, first && `${field} ${first.detail}.`, { errors })
}
