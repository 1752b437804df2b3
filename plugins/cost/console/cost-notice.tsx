import { Link } from '@tanstack/react-router'
import type { CostTotals } from '#schemas/api/cost.ts'
import { Notice } from '#ui/parts/page/notice.tsx'
import { costText as text } from './text.ts'

/** What the sums do not have. */
export function CostNotice({ totals }: { readonly totals: CostTotals }) {
  const { complete: isComplete, unpricedCalls: unpriced, pendingCalls: pending } = totals
  if (isComplete && unpriced === 0 && pending === 0) return undefined
  return (
    <Notice tone="info">
      {unpriced === 0 ? undefined : (
        <>
          {text.unpriced(unpriced)}{' '}
          <Link to="/modelroutes" className="link">
            <b>{text.setPrice}</b>
          </Link>{' '}
        </>
      )}
      {pending === 0 ? undefined : text.pending(pending)}
      {unpriced === 0 && pending === 0 ? text.incomplete : undefined}
    </Notice>
  )
}
