import { Fail } from '#core/errors/domain-error.ts'

const DAY_MS = 86_400_000
/** Maximum range of one export, in days. */
export const MAX_EXPORT_DAYS = 366

/** Refuses a range that is empty or longer than {@link MAX_EXPORT_DAYS}. Throws `invalid_query`. Pure. */
export function checkRange({ from, to }: { readonly from: string; readonly to: string }): void {
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS
  if (!(days > 0)) throw refuse('?to', 'must be after from')
  if (days > MAX_EXPORT_DAYS) throw refuse('?from', `must be at most ${MAX_EXPORT_DAYS} days before to`)
}

function refuse(pointer: string, detail: string): Fail {
  return new Fail('invalid_query', `${pointer.slice(1)} ${detail}.`, { errors: [{ pointer, detail }] })
}
