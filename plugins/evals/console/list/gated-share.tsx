import { useQuery } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { EvalGated } from '#schemas/api/evaluations.ts'
import { apiQuery } from '#ui/api/queries.ts'
import { useAddress } from '#ui/contract/search.ts'
import { useNarrow } from '#ui/parts/page/use-narrow.ts'
import { Tag } from '#ui/parts/status/status-badge.tsx'
import { evalsText } from '../shared/text.ts'

const text = evalsText.gated

/** How many agents serve a revision that passed. Without the right to list agents nothing is shown. */
export function GatedShare() {
  const [{ namespace }] = useAddress()
  const scope = namespace === undefined ? { scope: 'permitted' } : { namespace }
  const { data } = useQuery(apiQuery<Static<typeof EvalGated>>(['metrics', 'eval-gated'], scope))
  const isNarrow = useNarrow()
  if (data === undefined || isNarrow) return undefined
  return <Tag tone={data.gated === data.total ? 'ok' : 'mute'}>{wordsOf(data)}</Tag>
}

function wordsOf({ gated, total }: Static<typeof EvalGated>): string {
  return total === 0 ? text.none : text.share(gated, total)
}
